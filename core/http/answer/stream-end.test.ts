import { expect, test } from 'bun:test';
import { watchEnd } from './stream-end.ts';

const streamOf = (chunks: readonly string[], isEndless: boolean) => {
  const left = [...chunks];
  return new Response(
    new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const next = left.shift();
        if (next !== undefined) controller.enqueue(new TextEncoder().encode(next));
        else if (!isEndless) controller.close();
      },
    }),
  );
};

test.each([
  ['is read to its end', false],
  ['is left by its reader while it waits', true],
])('a stream that %s ends once, with its length', async (_, isLeft) => {
  const ends: number[] = [];
  const response = watchEnd(streamOf(['one', 'two'], isLeft), (bytes) => void ends.push(bytes));
  const reader = response.body?.getReader();
  await reader?.read();
  await reader?.read();
  const last = reader?.read();
  if (isLeft) await reader?.cancel();
  await last;
  await Bun.sleep(0);
  expect(ends).toEqual([6]);
});
