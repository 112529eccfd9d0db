import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { bucketOf, buckets } from '../rules/cohort.ts';
import { armAt } from './assignment.ts';
import { pooledP, sampleRatioP } from './statistics.ts';

const million = 1_000_000;

/** Computes the buckets of `trial:0` to `trial:999999` without our code: the same formula, in another language. */
const python = `
import hashlib, struct, sys
sys.stdout.buffer.write(b''.join(
  struct.pack('<H', int.from_bytes(hashlib.sha256(b'trial:%d' % n).digest()[:4], 'big') % 10000)
  for n in range(${million})))`;

function independentBuckets(): Uint16Array {
  const interpreter = Bun.which('python3');
  if (interpreter !== null) {
    const { stdout, exitCode } = Bun.spawnSync([interpreter, '-c', python], { maxBuffer: 4 * million });
    if (exitCode === 0) return new Uint16Array(new Uint8Array(stdout).buffer);
  }
  return Uint16Array.from({ length: million }, (_, n) => {
    const digest = createHash('sha256').update(`trial:${n}`).digest('hex');
    return Number.parseInt(digest.slice(0, 8), 16) % buckets;
  });
}

test('1,000,000 buckets are those of an independent computation', () => {
  const expected = independentBuckets();
  expect(expected).toHaveLength(million);
  let differing = 0;
  for (let n = 0; n < million; n++) if (bucketOf('trial', String(n)) !== expected[n]) differing++;
  expect(differing).toBe(0);
}, 60_000);

/** The greatest distance between the distribution of these values and the uniform one (Kolmogorov, Smirnov). */
function distanceFromUniform(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const { length } = sorted;
  return sorted.reduce(
    (most, value, index) => Math.max(most, (index + 1) / length - value, value - index / length),
    0,
  );
}

test('A/A: over 200 seeds, p is uniform, and so is that of the sample ratio', () => {
  const users = 4_000;
  const variants = [
    { key: 'a', weight: 0.5 },
    { key: 'b', weight: 0.5 },
  ];
  // Who converts does not depend on the arm: another seed decides.
  const converts = Array.from({ length: users }, (_, n) => bucketOf('converts', String(n)) < 3_000);
  const ratios: number[] = [];
  const p = Array.from({ length: 200 }, (_, seed) => {
    const arms = { a: { users: 0, conversions: 0 }, b: { users: 0, conversions: 0 } };
    for (let n = 0; n < users; n++) {
      const arm = armAt(variants, 1, bucketOf(`aa-${seed}`, String(n)))?.key === 'a' ? arms.a : arms.b;
      arm.users++;
      if (converts[n]) arm.conversions++;
    }
    ratios.push(sampleRatioP([arms.a.users, arms.b.users], [0.5, 0.5]));
    return pooledP(arms.b, arms.a);
  });
  // The critical value at 1 % for 200 values. The seeds are fixed, so this never fails by chance.
  const critical = 1.628 / Math.sqrt(200);
  expect(distanceFromUniform(p)).toBeLessThan(critical);
  expect(distanceFromUniform(ratios)).toBeLessThan(critical);
}, 60_000);
