import type { ShortCall } from '../../../core/module/module.ts';
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

const short = (declared: Pick<ShortCall, 'verb' | 'summary' | 'tool' | 'columns'>): ShortCall => ({
  ...declared,
  words: '[query]',
  settings: listSettings,
  uses: ['get-orgs-list', 'get-projects'],
  parameter: 'query',
  argumentsOf: async (text, config, call) => {
    const { project, limit, offset } = config.read(listSettings);
    const { projectIdOf } = await import('./project-choice.ts');
    const query = text.trim();
    return { projectId: await projectIdOf(call, project), limit, offset, ...(query === '' ? {} : { query }) };
  },
});

/** Short forms of the lists that people read at a terminal. */
export const shortCalls: readonly ShortCall[] = [
  short({
    verb: 'tests',
    summary: 'List the tests that a query chooses, e.g. trivet tests "label:smoke last:failed -has:steps"',
    tool: 'get-tests',
    columns: ['testId', 'testName', 'sectionPath', 'priority', 'squad', 'labels', 'lastStatus'],
  }),
  short({
    verb: 'runs',
    summary: 'List the runs that a query chooses, e.g. trivet runs "status:active progress:<100"',
    tool: 'get-runs',
    columns: ['runId', 'runName', 'status', 'counts', 'createdAt'],
  }),
];
