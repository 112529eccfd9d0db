import type { Command } from '../../../core/module/command.ts';
import type { SettingTable } from '../../../core/settings/settings.ts';

const listSettings = {
  project: {
    type: 'string',
    value: 'ID|NAME',
    description: 'The project; not needed where there is only one.',
  },
  limit: { type: 'integer', minimum: 1, maximum: 500, default: 50, description: 'How many.' },
  offset: {
    type: 'integer',
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 0,
    description: 'How many to skip.',
  },
} as const satisfies SettingTable;

/** The words are the query of a listing tool. */
const listCommand = (
  name: string,
  {
    tool,
    columns,
    summary,
  }: { readonly tool: string; readonly columns: readonly string[]; readonly summary: string },
): Command => ({
  name,
  words: '[query]',
  summary,
  settings: listSettings,
  needs: 'tools',
  tools: [tool, 'get-orgs-list', 'get-projects'],
  completes: { tool, parameter: 'query' },
  run: async ({ words, config, call }) => {
    const { project, limit, offset } = config.read(listSettings);
    const { projectIdOf } = await import('./project-choice.ts');
    const query = words.join(' ').trim();
    const projectId = await projectIdOf(call, project);
    const input = { projectId, limit, offset, ...(query === '' ? {} : { query }) };
    return { record: (await call(tool, input)) as object, columns };
  },
});

/** The lists that people read at a terminal. */
export const listCommands: readonly Command[] = [
  listCommand('tests', {
    summary: 'List the tests that a query chooses, e.g. trivet tests "label:smoke last:failed -has:steps"',
    tool: 'get-tests',
    columns: ['testId', 'testName', 'sectionPath', 'priority', 'squad', 'labels', 'lastStatus'],
  }),
  listCommand('runs', {
    summary: 'List the runs that a query chooses, e.g. trivet runs "status:active progress:<100"',
    tool: 'get-runs',
    columns: ['runId', 'runName', 'status', 'counts', 'createdAt'],
  }),
];
