import { expect, test } from 'bun:test';
import { readLines, LineTooLong } from './lines.ts';
import { rejectionOf } from '../../test/rejection.ts';

const streamOf = (...chunks: readonly string[]) =>
  new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(Buffer.from(chunk, 'latin1'));
      controller.close();
    },
  });
const never = new AbortController().signal;
const latin1 = (text: string) => Buffer.from(text).toString('latin1');
const [first, ...rest] = latin1('é');

const cases: ReadonlyArray<readonly [string, readonly string[], readonly string[]]> = [
  ['nothing', [], []],
  ['lines', ['a\nb\n'], ['a', 'b']],
  ['a line in parts', ['a', 'b', 'c\nd', '\n'], ['abc', 'd']],
  ['an end in a part of its own', ['a', '\n'], ['a']],
  ['an empty line', ['\n\na\n'], ['', '', 'a']],
  ['the ends of lines of Windows', ['a\r\nb\r', '\n'], ['a', 'b']],
  ['a character in two parts', [`${first}`, `${rest.join('')}\n`], ['é']],
  ['a line without an end', ['a\nb'], ['a']],
];
test.each(cases)('%s', async (_title, chunks, lines) => {
  expect(await Array.fromAsync(readLines(streamOf(...chunks), 100, never))).toEqual([...lines]);
});

test.each([[['12345\n']], [['123', '45']], [['1234\n', '12345']]])(
  '%j is too long for 4 bytes',
  async (chunks) => {
    expect(await rejectionOf(Array.fromAsync(readLines(streamOf(...chunks), 4, never)))).toBeInstanceOf(
      LineTooLong,
    );
  },
);

test('a signal ends a stream that says nothing more', async () => {
  const stopping = new AbortController();
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  void writable.getWriter().write(Buffer.from('a\n'));
  const seen: string[] = [];
  for await (const line of readLines(readable, 100, stopping.signal)) {
    seen.push(line);
    stopping.abort();
  }
  expect(seen).toEqual(['a']);
});
