import { expect, test } from 'bun:test';
import { timer } from './timer.ts';

/**
 * @see A runtime takes a time beyond 31 bits for none. A CTA with a delay of 30 days appeared at once, and after a `Retry-After` of 30 days the
 * SDK sent without a pause.
 */
test.each([[2 ** 31], [2_592_000_000], [Number.MAX_SAFE_INTEGER], [Infinity]])(
  'after %d ms is not now',
  async (milliseconds) => {
    let ran = 0;
    const cancel = timer(milliseconds, () => ran++);
    await Bun.sleep(20);
    cancel();
    expect(ran).toBe(0);
  },
);
