import { gzipSync } from 'node:zlib';
import { range } from './freeze-world.ts';

/* Files sent by strangers to `POST /api/results`: cheap to send, expensive to read. */

export interface HostileUpload {
  readonly name: string;
  readonly path: string;
  readonly method?: string;
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;
}

const file = (
  name: string,
  text: string | Uint8Array,
  status: number,
  query = 'dryRun=true',
): HostileUpload => ({
  name: `${name} to /api/results`,
  path: `/api/results?projectId=1&runKey=hostile&${query}`,
  body: gzipSync(text),
  headers: { 'content-type': 'application/octet-stream' },
  status,
});

const lines = (count: number, line: (n: number) => string) => range(count, line).join('\n');
const junit = (cases: readonly string[]) =>
  `<testsuite name="s">${cases.map((name) => `<testcase name="${name}"/>`).join('')}</testsuite>`;

const parts = (count: number, type: string, content: string, status: number): HostileUpload => ({
  name: `${count} parts of ${content} with the header ${type}`,
  path: '/api/results?projectId=1&runKey=hostile&dryRun=true',
  body: Buffer.from(
    `${`--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n${content}\r\n`.repeat(count)}--b--\r\n`,
  ),
  headers: { 'content-type': type },
  status,
});

export const hostileUploads = (): readonly HostileUpload[] => [
  file(
    'a name of 300,000 spaces in TAP',
    `TAP version 14\nok 1 - ${' '.repeat(300_000)}x {\n    ok 1 - a\n}\n1..1\n`,
    200,
  ),
  file(
    'names of 3,800 spaces',
    `TAP version 14\n${lines(2_000, (n) => `ok ${n + 1} - a${' '.repeat(3_800)}b${n}`)}\n1..2000\n`,
    200,
  ),
  file(
    'a description of many empty lines in TAP',
    `TAP version 14\nnot ok 1 - a\n  ---\n${'  \n'.repeat(100_000)}  ...\n1..1\n`,
    200,
  ),
  file('names of backslashes', junit(range(2_000, (n) => `${'\\'.repeat(3_800)}${n}`)), 200),
  file(
    'suites of backslashes',
    `<testsuites>${range(2_000, (n) => `<testsuite name="${'\\'.repeat(3_800)}${n}"><testcase name="a"/></testsuite>`).join('')}</testsuites>`,
    200,
  ),
  file('3 million lines of TAP', `TAP version 14\n${'#\n'.repeat(3_000_000)}`, 200),
  file('3 million points of TAP', `TAP version 14\n${'ok\n'.repeat(3_000_000)}`, 400),
  file('a million equal cases', junit(range(1_000_000, () => 'a')), 200),
  file('100,000 equal cases', junit(range(100_000, () => 'a')), 200),
  file('64 MiB of zeros', new Uint8Array(64 * 2 ** 20), 400),
  file('300,000 numbers that are too large', `{"results":{"tests":[${'1e999,'.repeat(300_000)}1]}}`, 200),
  {
    ...file('8,000 new tests', '', 200),
    path: '/api/results?projectId=1&create=true',
    body: gzipSync(junit(range(8_000, (n) => `${crypto.randomUUID()} ${n}`))),
  },
  file(
    '190 MiB of zeros after a plan',
    Buffer.concat([Buffer.from('1..1\nok 1 - a\n'), Buffer.alloc(190 * 2 ** 20)]),
    400,
  ),
  file(
    '60 MiB of line ends',
    Buffer.concat([Buffer.from('1..1\nok 1 - a\n'), Buffer.alloc(60 * 2 ** 20, '\n')]),
    200,
  ),
  parts(9_990, 'multipart/form-data; boundary=b', '1', 400),
  parts(9_990, 'multipart/form-data; boundary=b', junit(['a']), 200),
  parts(300_000, 'multipart/form-data; xboundary=zz; boundary=b', '1', 413),
  parts(300_000, 'multipart/form-data; boundary=zz; boundary=b', '1', 400),
  {
    name: '300,000 numbers that are too large to a list of records',
    path: '/api/tools/bulk-add-tests',
    body: Buffer.from(`{"projectId":1,"tests":[${'1e999,'.repeat(300_000)}1]}`),
    headers: { 'content-type': 'application/json' },
    status: 400,
  },
];
