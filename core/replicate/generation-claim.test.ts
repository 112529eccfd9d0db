import { describe, expect, test } from 'bun:test';
import {
  NewestCheck,
  newestGeneration,
  readClaims,
  StillWritten,
  storeClaim,
  type Claim,
} from './generation-claim.ts';
import { begunFolder, begunKey, claimKey, claimsFolder } from './replica-names.ts';
import { memoryTarget } from './testing/memory-target.ts';

const holder = '0123456789abcdef';
const generation = '20261127T100000000Z-00000001';
const at = Date.UTC(2026, 10, 27, 10);
const hour = 3_600_000;

/** The other server stored a claim at the second that its own clock shows; this one looks at these seconds. */
interface Case {
  readonly what: string;
  /** By how much the clock of the other server is ahead. */
  readonly aheadMs: number;
  /** The seconds at which the other server stores its claim. */
  readonly stores: readonly number[];
  /** The seconds at which this one looks, and whether it may go on. */
  readonly looks: ReadonlyArray<readonly [second: number, goesOn: boolean]>;
}

const cases: readonly Case[] = [
  {
    what: 'one whose clock is right ended long ago',
    aheadMs: 0,
    stores: [0],
    looks: [
      [10, false],
      [21, true],
    ],
  },
  {
    what: 'one whose clock is an hour ahead ended',
    aheadMs: hour,
    stores: [0],
    looks: [
      [10, false],
      [29, false],
      [31, true],
    ],
  },
  {
    what: 'one whose clock is an hour ahead goes on',
    aheadMs: hour,
    stores: [0, 15, 30, 45],
    looks: [
      [10, false],
      [20, false],
      [31, false],
      [50, false],
    ],
  },
];

describe('a restored directory goes on when the other server is silent, whatever its clock says', () => {
  test.each(cases)('$what', async ({ aheadMs, stores, looks }) => {
    const target = memoryTarget();
    await target.put(begunKey(generation), new TextEncoder().encode(JSON.stringify({ holder })));
    let second = 0;
    const check = new NewestCheck(() => second * 1000);
    const claim: Claim = { format: 1, holder, state: 'held', leaseMs: 0, count: 0, at, coveredAt: 0 };
    const held = { generation, own: false };

    const found: Array<readonly [number, boolean]> = [];
    const moments = [...new Set([...stores, ...looks.map(([one]) => one)])].toSorted((a, b) => a - b);
    for (second of moments) {
      const now = at + second * 1000;
      if (stores.includes(second)) await storeClaim(target, { ...claim, count: second, at: now + aheadMs });
      if (!looks.some(([one]) => one === second)) continue;
      const refused = await check.require(target, held, now).catch((error: unknown) => error);
      if (refused !== undefined) expect(refused).toBeInstanceOf(StillWritten);
      found.push([second, refused === undefined]);
    }
    expect(found).toEqual([...looks]);
  });
});

describe('what others put beside the marks and claims is ignored', () => {
  test.each([
    ['Windows and a file server', 'Thumbs.db'],
    ['a folder of a file server', '@eaDir/20261127T100000000Z-00000001'],
    ['a Mac', '.DS_Store'],
    ['a copy of a mark', `${generation} (1)`],
    ['the mark of a folder in a bucket', ''],
  ])('%s: %p', async (_who, name) => {
    const target = memoryTarget();
    await target.put(begunKey(generation), new TextEncoder().encode(JSON.stringify({ holder })));
    for (const folder of [begunFolder, claimsFolder]) await target.put(`${folder}${name}`, new Uint8Array(3));
    await new NewestCheck().require(target, { generation, own: true }, at);
    expect(await newestGeneration(target)).toEqual({ id: generation, holder });
    expect(await readClaims(target)).toEqual({ claims: [], unreadable: [] });
  });

  test('but not a claim that cannot be read: its server may be writing', async () => {
    const target = memoryTarget();
    await target.put(claimKey(holder), new Uint8Array(3));
    expect(await readClaims(target)).toEqual({ claims: [], unreadable: [claimKey(holder)] });
  });
});
