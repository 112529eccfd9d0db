import type { CallTool, ResourceKind } from '../../../core/tools/context-kinds.ts';
import { completeProjectId } from './argument-completion.ts';
import { joined } from '../rules/name-list.ts';
import { classifications, everyClassification, idFieldOf } from '../rules/classification.ts';

/** The most names of one kind in the overview. The pages of their tool list the rest. */
const shownNames = 200;
/** The most active runs in the overview. */
const shownRuns = 20;
const projectsPerPage = 100;

type Row = Readonly<Record<string, unknown>>;
const rowsOf = (answer: unknown, property: string): readonly Row[] =>
  (answer as Readonly<Record<string, readonly Row[]>>)[property] ?? [];
const totalOf = (answer: unknown) => Number((answer as Row)['total']);

/** Where the names of one kind are listed. */
interface Listing {
  readonly tool: string;
  readonly property: string;
  readonly id: string;
  readonly nameOf: (row: Row) => string;
}

const named = (tool: string, property: string, kind: string): Listing => ({
  tool,
  property,
  id: `${kind}Id`,
  nameOf: (row) => String(row[`${kind}Name`]),
});

const listings: ReadonlyArray<readonly [string, Listing]> = [
  [
    'sections',
    {
      ...named('get-sections', 'sections', 'section'),
      nameOf: (row) => joined(row['sectionPath'] as readonly string[], '>'),
    },
  ],
  ['labels', named('get-labels', 'labels', 'label')],
  ['squads', named('get-squads', 'squads', 'squad')],
  ...everyClassification.map((kind) => {
    const { tool, property } = classifications[kind];
    return [property, { ...named(tool, property, kind), id: idFieldOf[kind] }] as const;
  }),
];

/** Names with their ids, `{"smoke": 3}`: the shortest form in which a model can look up the id of a name. */
async function idsByName(call: CallTool, projectId: number, { tool, property, id, nameOf }: Listing) {
  const answer = await call(tool, { projectId, limit: shownNames });
  const ids = Object.fromEntries(rowsOf(answer, property).map((row) => [nameOf(row), row[id]]));
  const more = totalOf(answer) - rowsOf(answer, property).length;
  return more > 0 ? { ...ids, [`… ${more} more in ${tool}`]: null } : ids;
}

/** The number of tests that a query selects. */
const countOf = async (call: CallTool, projectId: number, query: string) =>
  totalOf(await call('get-tests', { projectId, query, limit: 1, fields: ['testId'] }));

async function overview(call: CallTool, projectId: number) {
  const project = (await call('get-project-detail', { projectId })) as Row;
  const counts = (await call('get-tests-count', { projectId })) as Row;
  const runs = await call('get-runs', {
    projectId,
    query: 'status:active',
    limit: shownRuns,
    fields: ['runId', 'runName', 'counts', 'createdAt'],
  });
  const names: Record<string, unknown> = {};
  for (const [name, listing] of listings) names[name] = await idsByName(call, projectId, listing);
  return {
    ...project,
    tests: {
      total: counts['total'],
      byPriority: counts['byPriority'],
      byAutomationStatus: counts['byAutomationStatus'],
      lastFailed: await countOf(call, projectId, 'last:failed'),
      flaky: await countOf(call, projectId, 'flaky:yes'),
      neverRun: await countOf(call, projectId, 'runs:0'),
    },
    activeRuns: { total: totalOf(runs), newest: rowsOf(runs, 'runs') },
    ...names,
  };
}

/** Saves an agent its first calls: the available ids, the size of the project, the active runs. */
export const projectResource: ResourceKind = {
  uriTemplate: 'trivet://projects/{projectId}',
  name: 'project',
  title: 'Project',
  description: 'Counts, active runs, and the ids of sections, labels, squads and classifications by name.',
  tools: [
    'get-orgs-list',
    'get-projects',
    'get-project-detail',
    'get-tests',
    'get-tests-count',
    'get-runs',
    ...listings.map(([, { tool }]) => tool),
  ],
  // A page covers one organization. The cursor consists of the index of the organization and of its next project.
  list: async (call, cursor) => {
    const [at = 0, offset = 0] = (cursor ?? '0/0').split('/').map(Number);
    const orgs = await call('get-orgs-list', { limit: 1, offset: whole(at) });
    const [org] = rowsOf(orgs, 'organizations');
    if (!org) return { records: [] };
    const page = await call('get-projects', {
      orgId: org['orgId'],
      limit: projectsPerPage,
      offset: whole(offset),
    });
    const records = rowsOf(page, 'projects').map((row) => ({
      id: Number(row['projectId']),
      name: String(row['projectName']),
    }));
    const read = whole(offset) + records.length;
    if (records.length > 0 && read < totalOf(page)) return { records, nextCursor: `${at}/${read}` };
    return at + 1 < totalOf(orgs) ? { records, nextCursor: `${at + 1}/0` } : { records };
  },
  read: overview,
  complete: completeProjectId,
};

/** A cursor comes from the client, which may send anything. */
const whole = (given: number) => (Number.isSafeInteger(given) && given >= 0 ? given : 0);
