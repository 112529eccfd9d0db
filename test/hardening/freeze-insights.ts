import { slowQuery } from './freeze-queries.ts';
import type { World, Worst } from './freeze-world.ts';

/* The worst input of each insight: all tests, a query that reads every text, the last permitted page. */

const everyTest = { args: ({ projectId }: World) => ({ projectId, limit: 500 }) };
const lastSorted = {
  args: ({ projectId }: World) => ({
    projectId,
    query: `${slowQuery} sort:name-desc`,
    limit: 500,
    offset: 9_500,
  }),
};

export const worstInsights = {
  'get-pass-rate': { args: ({ projectId }) => ({ projectId, days: 400 }) },
  'get-flaky-tests': lastSorted,
  'get-longest-failing': lastSorted,
  'get-never-run': lastSorted,
  'get-duplicate-tests': { args: ({ projectId }) => ({ projectId, limit: 500 }) },
  'get-slowest-fixes': { args: ({ projectId }) => ({ projectId, days: 400, limit: 500 }) },
  'get-automation-coverage': everyTest,
  'compare-runs': {
    args: ({ projectId, runId }) => ({ projectId, runId, againstRunId: runId, limit: 500 }),
  },
} as const satisfies Readonly<Record<string, Worst>>;
