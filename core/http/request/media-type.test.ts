import { expect, test } from 'bun:test';
import { readJson } from './body.ts';
import { readGivenFiles } from './given-files.ts';
import { streamedFile } from './streamed-file.ts';

const request = (headers: Record<string, string>) =>
  new Request('http://127.0.0.1/', { method: 'POST', headers, body: '{}' });
const json = { 'content-type': 'application/json' };
const gzip = { 'content-encoding': 'gzip' };

/** The tip names the header that is to change: one that repeats what was sent leads nowhere. */
test.each<[string, (from: Request) => unknown, Record<string, string>, RegExp]>([
  [
    'JSON of another type',
    (from) => readJson(from, 100),
    {},
    /^Send the header "Content-Type: application\/json"/,
  ],
  [
    'compressed JSON',
    (from) => readJson(from, 100),
    { ...json, ...gzip },
    /without the header "Content-Encoding"/,
  ],
  ['a compressed file', streamedFile, gzip, /without the header "Content-Encoding"/],
  ['files as JSON', readGivenFiles, json, /"Content-Type: application\/octet-stream"/],
])('%s', async (_title, read, headers, tip) => {
  const refused = await Promise.resolve(request(headers))
    .then(read)
    .catch((error: unknown) => error);
  expect(refused).toMatchObject({
    code: 'UNSUPPORTED_MEDIA_TYPE',
    tip: expect.stringMatching(tip) as string,
  });
});
