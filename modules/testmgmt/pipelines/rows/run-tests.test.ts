import { expect, test } from 'bun:test';
import { RunTests } from './run-tests-store.ts';

const statuses = ['passed', 'failed', 'untested', 'blocked'] as const;

test.each([0, 1, 2, 1_999, 2_000, 2_001, 9_000])(
  '%d tests are found, and those that were not seen',
  (count) => {
    const tests = new RunTests();
    const statusOf = (n: number) => statuses[n % statuses.length] ?? 'passed';
    for (let n = 0; n < count; n++) tests.add(3 * n + 1, statusOf(n));
    expect(tests.size).toBe(count);
    for (let n = 0; n < count; n++) {
      expect(tests.statusOf(3 * n + 1)).toBe(statusOf(n));
      expect(tests.statusOf(3 * n + 2)).toBeUndefined();
      if (n % 2 === 0) tests.see(3 * n + 1);
    }
    tests.see(0);
    tests.see(1);
    expect(tests.unseenCount).toBe(Math.floor(count / 2));
    expect(tests.unseen(2)).toEqual([4, 10].slice(0, Math.floor(count / 2)));
    expect([...tests.ids()].filter((id) => tests.isUnseen(id))).toHaveLength(Math.floor(count / 2));
  },
);
