import type { World, Worst } from './freeze-world.ts';

/* The worst accepted input for the operations on links of tests. */

const some = ({ testIds }: World) => testIds.slice(0, 5_000);

export const worstLinks = {
  'add-links': {
    args: (world, n) => ({
      projectId: world.projectId,
      testIds: some(world),
      links: [1, 2, 3].map((m) => ({ kind: 'requirement', key: `SHOP-${n}-${m}` })),
    }),
  },
  'remove-links': {
    args: (world, n) => ({ projectId: world.projectId, testIds: some(world), key: `SHOP-${n}-1` }),
  },
  'list-links': { args: ({ projectId }) => ({ projectId, limit: 500 }) },
  'set-quarantine': {
    args: ({ projectId, testIds }, n) => ({
      projectId,
      testIds,
      reason: `${n}`,
      ownerId: 1,
      until: new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10),
      force: true,
    }),
  },
  'list-quarantined': { args: ({ projectId }) => ({ projectId, limit: 500 }) },
  'end-quarantine': { args: ({ projectId, testIds }) => ({ projectId, testIds }) },
  'get-failure-groups': { args: ({ projectId, runId }) => ({ projectId, runId, limit: 500 }) },
  'get-requirement-coverage': { args: ({ projectId }) => ({ projectId, query: 'a', limit: 500 }) },
} as const satisfies Readonly<Record<string, Worst>>;
