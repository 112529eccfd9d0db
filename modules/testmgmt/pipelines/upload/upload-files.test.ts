import { expect, test } from 'bun:test';
import { readFiles } from './upload-files.ts';
import { junitText } from '../../testing/junit-text.ts';

const { signal } = new AbortController();
const file = (name: string, content: string) => ({ name, chunks: () => new Blob([content]).stream() });

/** A result of Allure, which writes each result into its own file. */
const allure = (uuid: string, historyId: string, status: string, start: number) =>
  file(
    `${uuid}-result.json`,
    JSON.stringify({
      uuid,
      historyId,
      name: `test ${historyId}`,
      fullName: `cart.test.ts#test ${historyId}`,
      status,
      stage: 'finished',
      start,
      stop: start + 5,
      labels: [{ name: 'suite', value: 'cart' }],
    }),
  );

test('files of Allure are read as one: attempts find each other by their history', async () => {
  const given = [
    allure('b', 'one', 'passed', 2_000),
    allure('c', 'two', 'passed', 10),
    allure('a', 'one', 'failed', 1_000),
  ];
  const { files } = await readFiles(given, signal);
  const [only, ...more] = files;
  expect({ name: only?.name, more }).toEqual({ name: '3 results of Allure', more: [] });
  const cases = [...(only?.read.batches() ?? [])].flat();
  expect(cases.map(({ name, status, flaky, attempts }) => [name, status, flaky, attempts.length])).toEqual([
    ['test two', 'passed', undefined, 1],
    ['test one', 'passed', true, 2],
  ]);
});

/** @see A suite of 5,600 tests with 45 steps each was refused: "It has more than 2000000 values". */
test('files of Allure that together have more values than one file may have are read', async () => {
  const values = Array<number>(90_000).fill(0);
  const given = Array.from({ length: 25 }, (_, index) =>
    file(
      `${index}-result.json`,
      JSON.stringify({ uuid: `${index}`, historyId: `${index % 20}`, name: 'x', status: 'passed', values }),
    ),
  );
  const { files } = await readFiles(given, signal);
  const cases = files.flatMap(({ read }) => [...read.batches()].flat());
  expect([cases.length, cases.filter(({ attempts }) => attempts.length === 2).length]).toEqual([20, 5]);
});

/** @see trivet results --url, which compresses each file: an upload of several results of Allure was refused as broken gzip. */
test.each<[string, (text: string, index: number) => string | Uint8Array<ArrayBuffer>]>([
  ['all packed', (text) => Bun.gzipSync(text)],
  ['some packed', (text, index) => (index === 1 ? Bun.gzipSync(text) : text)],
  ['with a byte order mark', (text) => `\ufeff${text}`],
  ['in UTF-16', (text) => new Uint8Array(Buffer.from(`\ufeff${text}`, 'utf16le'))],
])('files of Allure are read as one, %s', async (_title, written) => {
  const texts = ['failed', 'passed', 'passed'].map((status, index) =>
    JSON.stringify({ uuid: `${index}`, historyId: 'one', name: 'übt', status, start: index + 1, stop: 9 }),
  );
  const given = texts.map((text, index) => ({
    name: `${index}-result.json`,
    chunks: () => new Blob([written(text, index)]).stream(),
  }));
  const { files } = await readFiles(given, signal);
  const cases = files.flatMap(({ read }) => [...read.batches()].flat());
  expect(cases.map(({ name, flaky, attempts }) => [name, flaky, attempts.length])).toEqual([
    ['übt', true, 3],
  ]);
});

test('the digest is that of the contents, whatever the names and the order of the files', async () => {
  const [a, b] = [junitText({ a: ['one'] }), junitText({ b: ['two'] })];
  const digestOf = async (...given: ReadonlyArray<readonly [string, string]>) =>
    (
      await readFiles(
        given.map(([name, content]) => file(name, content)),
        signal,
      )
    ).digest;
  expect(await digestOf(['x', a], ['y', b])).toBe(await digestOf(['y', b], ['z', a]));
  expect(await digestOf(['x', a])).not.toBe(await digestOf(['x', b]));
});
