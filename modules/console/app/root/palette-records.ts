import { useMe, useTool } from '../api/queries.ts';
import { useMay } from '../frame/organizations.ts';
import { milestoneAddress } from '../pages/planning/milestone-link.tsx';
import { lastTenant } from '../pages/tenant/tenant-memory.ts';
import { typedId, type Entry } from './palette-order.ts';
import { t } from '../texts/text.ts';

/** Records of a kind that one search lists. */
const most = 20;

/** A query that finds records by their id or by words of their name. Quotes end a value. */
const queryOf = (text: string): string => {
  const id = typedId(text);
  const words = text.trim().replaceAll(/["\\]/g, ' ').split(/\s+/);
  const named = words.filter((word) => word !== '').map((word) => `name:"${word}"`);
  return id === undefined ? named.join(' ') : `(id:${id} OR name:"${id}")`;
};

/** All of a kind that has no search, e.g. the milestones of a project: the palette searches among them. */
const whole = 500;

/** What a text finds. The server searches; what was found stays until then. */
export function useRecords(text: string, projectId: number | null): readonly Entry[] {
  const me = useMe().data;
  const isTyped = text.trim().length >= 2 || typedId(text) !== undefined;
  const asked = { enabled: isTyped, keep: true };
  const inProject = { ...asked, enabled: isTyped && projectId !== null };
  const project = { projectId: projectId ?? 0, query: queryOf(text), limit: most };
  const tests = useTool('get-tests', { ...project, fields: ['testId', 'testName'] }, inProject);
  const runs = useTool('get-runs', { ...project, query: `${project.query} sort:created-desc` }, inProject);
  const planning = usePlanning(projectId, isTyped);
  const tenantId = lastTenant();
  const mayMarket = me?.modules.includes('cta') === true && me.organizations.length > 0;
  const marketing = { ...asked, enabled: isTyped && mayMarket };
  const ctas = useTool('list-ctas', { tenantId, search: text.trim().slice(0, 255), limit: most }, marketing);
  const cohorts = useTool('list-cohorts', { tenantId, limit: whole }, marketing);
  const orgId = me?.organizations[0]?.orgId ?? 0;
  const mayAdminister = useMay('admin', orgId);
  const people = useTool(
    'list-members',
    { orgId, limit: whole },
    { ...asked, enabled: isTyped && mayAdminister },
  );
  if (!isTyped) return [];
  return [
    ...(tests.data?.tests ?? []).flatMap(({ testId, testName }) =>
      testId === undefined || testName === undefined
        ? []
        : [
            {
              id: `/projects/${projectId}/tests/${testId}`,
              name: testName,
              group: t('Tests'),
              recordId: testId,
            },
          ],
    ),
    ...(runs.data?.runs ?? []).flatMap(({ runId, runName }) =>
      runId === undefined || runName === undefined
        ? []
        : [{ id: `/projects/${projectId}/runs/${runId}`, name: runName, group: t('Runs'), recordId: runId }],
    ),
    ...planning,
    ...(ctas.data?.ctas ?? []).map(({ ctaId, name }) => ({
      id: `/ctas/${ctaId}`,
      name,
      group: t('CTAs'),
    })),
    ...(cohorts.data?.cohorts ?? []).map(({ cohortName }) => ({
      id: `/cohorts#${encodeURIComponent(cohortName)}`,
      name: cohortName,
      group: t('Cohorts'),
    })),
    ...(people.data?.members ?? []).flatMap(({ userId, name, email }) =>
      [
        {
          id: me?.administersServer === true ? `/people?tab=accounts&user=${userId}` : `/people#${userId}`,
          name: name ?? email ?? '',
          group: t('People'),
        },
      ].filter((one) => one.name !== ''),
    ),
  ];
}

/** The milestones, plans and saved queries of the open project. */
function usePlanning(projectId: number | null, isTyped: boolean): readonly Entry[] {
  const asked = { enabled: isTyped && projectId !== null, keep: true };
  const project = { projectId: projectId ?? 0, limit: whole };
  const milestones = useTool('get-milestones', project, asked);
  const plans = useTool('get-plans', project, asked);
  const views = useTool('list-views', project, asked);
  if (projectId === null) return [];
  const address = `/projects/${projectId}`;
  return [
    ...(milestones.data?.milestones ?? []).map(({ name }) => ({
      id: milestoneAddress({ projectId, name }),
      name,
      group: t('Milestones'),
    })),
    ...(plans.data?.plans ?? []).map(({ planId, name }) => ({
      id: `${address}/plans/${planId}`,
      name,
      group: t('Plans'),
    })),
    ...(views.data?.views ?? []).flatMap(({ name, surface, query }) =>
      // Queries within a run have no page of their own.
      surface === 'run-tests'
        ? []
        : [{ id: `${address}/${surface}?query=${encodeURIComponent(query)}`, name, group: t('Saved views') }],
    ),
  ];
}
