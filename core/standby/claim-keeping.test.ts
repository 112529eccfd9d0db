import { expect, test } from 'bun:test';
import { systemClock } from '../base/clock.ts';
import { temporaryDirectory } from '../../test/temporary.ts';
import { begunKey, begunFolder } from '../replicate/replica-names.ts';
import { noDigest } from '../replicate/replica-object.ts';
import type { ReplicaTarget } from '../replicate/replica-target.ts';
import { keepChain } from '../replicate/replication-files.ts';
import { memoryTarget } from '../replicate/testing/memory-target.ts';
import { ClaimKeeper } from './claim-keeping.ts';

const holder = '0123456789abcdef';
const generation = '20261127T100000000Z-00000001';

test('a generation that the replicator begins while the keeper looks is not taken for a lost one', async () => {
  const data = temporaryDirectory('keeper');
  const memory = memoryTarget();
  let hasBegun = false;
  const target: ReplicaTarget = {
    ...memory,
    list: async (prefix) => {
      const found = await memory.list(prefix);
      if (prefix === begunFolder && !hasBegun) {
        hasBegun = true;
        await memory.put(begunKey(generation), new TextEncoder().encode(JSON.stringify({ holder })));
        const chain = { generation, own: true, sequence: 0, digest: noDigest, at: 0, snapshotAt: 0 };
        keepChain(data, { target: memory.name, ...chain });
      }
      return found;
    },
  };
  const said: string[] = [];
  const say = (event: string) => void said.push(event);
  const log = { debug: say, info: say, warn: say, error: say, access: () => {} };
  const keeper = new ClaimKeeper({ data, target, holder, leaseMs: 60_000, clock: systemClock, log });
  await keeper.start();
  keeper.serves();
  expect({ hasBegun, said, refusal: keeper.refusal() }).toEqual({
    hasBegun: true,
    said: [],
    refusal: undefined,
  });
  await keeper.stop();
});
