import { useMe, useTool } from '../api/queries.ts';
import { useMay } from '../frame/organizations.ts';
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

/** Tests and runs of the open project, CTAs, cohorts and people that a text finds. The server searches; what was found stays until then. */
export function useRecords(text: string, projectId: number | null): readonly Entry[] {
  const me = useMe().data;
  const isTyped = text.trim().length >= 2 || typedId(text) !== undefined;
  const asked = { enabled: isTyped, keep: true };
  const inProject = { ...asked, enabled: isTyped && projectId !== null };
  const project = { projectId: projectId ?? 0, query: queryOf(text), limit: most };
  const tests = useTool('get-tests', { ...project, fields: ['testId', 'testName'] }, inProject);
  const runs = useTool('get-runs', { ...project, query: `${project.query} sort:created-desc` }, inProject);
  const tenantId = lastTenant();
  const mayMarket = me?.modules.includes('cta') === true && me.organizations.length > 0;
  const marketing = { ...asked, enabled: isTyped && mayMarket };
  const ctas = useTool('list-ctas', { tenantId, search: text.trim().slice(0, 255), limit: most }, marketing);
  const cohorts = useTool('list-cohorts', { tenantId, limit: 500 }, marketing);
  const orgId = me?.organizations[0]?.orgId ?? 0;
  const mayAdminister = useMay('admin', orgId);
  const people = useTool(
    'list-members',
    { orgId, limit: 500 },
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
