import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { decodeJwt } from 'jose';
import { mcpTools } from '../../../core/mcp/mcp-tools.ts';
import { bytesOf, isFile } from '../../../core/tools/file-answer.ts';
import { localExecutor } from '../../../core/tools/local-executor.ts';
import { randomFrom } from '../../../test/verify/scale.ts';
import { attachments, blobChunks, blobs } from '../base/evidence-schema.ts';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';
import { deleteOldAttachments } from './attachment-upkeep.ts';

let trivet: TestmgmtKernel;
let token = '';
let projectId = 0;
let testIds: readonly number[] = [];
let runId = 0;
beforeAll(async () => {
  trivet = await startTestmgmtKernel();
  const made = await trivet.call('create-access-token', { name: 'files', scopes: ['testmgmt', 'extra'] });
  token = String(made['token']);
  projectId = await trivet.makeProject();
  testIds = await trivet.makeTests(projectId, 60);
  runId = await trivet.makeRun(projectId, testIds);
});
afterAll(() => trivet.stop());

const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from('rest of an image')]);
const digest = (content: Uint8Array) => new Bun.CryptoHasher('sha256').update(content).digest('hex');
const noise = (size: number, seed: number): Uint8Array<ArrayBuffer> => {
  const random = randomFrom(seed);
  return Uint8Array.from({ length: size }, () => random.below(256));
};

async function put(
  query: string,
  body: Uint8Array<ArrayBuffer> | Buffer<ArrayBuffer> | string,
  headers: Record<string, string> = {},
) {
  const response = await trivet.fetch(`/api/attachments?${query}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, ...headers },
    body,
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const get = (id: unknown, headers: Record<string, string> = {}) =>
  trivet.fetch(`/api/attachments/${String(id)}`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
  });

const rowCounts = async () => {
  const { q } = trivet.kernel.host.db;
  return {
    attachments: (await q.select({ id: attachments.id }).from(attachments)).length,
    blobs: (await q.select({ id: blobs.id }).from(blobs)).length,
    chunks: (await q.select({ at: blobChunks.position }).from(blobChunks)).length,
  };
};

/** @see Who was removed while a file arrived had it attached. */
test.each<[string, string, object, number]>([
  ['is still one', 'set-user-role', { role: 'admin' }, 200],
  ['became a reader', 'set-user-role', { role: 'reader' }, 403],
  ['was removed', 'remove-member', {}, 401],
])('a file of a member who %s while it arrived', async (title, tool, change, status) => {
  const { accessToken } = await trivet.signIn(`${title.replaceAll(' ', '.')}@example.org`);
  const { code } = await trivet.call('invite-user', { orgId: 1 });
  await trivet.post('/api/tools/accept-invitation', { code }, accessToken);
  const before = await rowCounts();
  let finish = () => {};
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(noise(300_000, 1));
      finish = () => controller.close();
    },
  });
  const answer = trivet.fetch(`/api/attachments?projectId=${projectId}&testId=${testIds[59]}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${accessToken}`, 'x-file-name': title.replaceAll(' ', '.') },
    body,
  });
  await Bun.sleep(50);
  await trivet.call(tool, { orgId: 1, userId: Number(decodeJwt(accessToken).sub), ...change });
  trivet.clock.advance(1_001);
  finish();
  expect((await answer).status).toBe(status);
  if (status !== 200) expect(await rowCounts()).toEqual(before);
});

describe('a file over HTTP', () => {
  test.each([1, 256 * 1024 - 1, 256 * 1024, 256 * 1024 + 1, 3 * 1024 * 1024 + 17])(
    'of %d bytes comes back as it was',
    async (size) => {
      const content = noise(size, size);
      const { status, body } = await put(`projectId=${projectId}&testId=${testIds[0]}`, content, {
        'x-file-name': "UTF-8''na%C3%AFve%20trace.bin",
        'content-type': 'application/zip',
      });
      expect([status, body]).toEqual([
        200,
        expect.objectContaining({
          sha256: digest(content),
          size,
          fileName: 'naïve trace.bin',
          mediaType: 'application/zip',
        }),
      ]);
      const answer = await get(body['attachmentId']);
      expect(digest(await answer.bytes())).toBe(digest(content));
      expect(answer.headers.get('content-disposition')).toBe(
        `attachment; filename="na_ve_trace.bin"; filename*=UTF-8''na%C3%AFve%20trace.bin`,
      );
    },
  );

  test.each([
    ['image/png', png, 'image/png', 'inline'],
    ['text/html', Buffer.from('<script>alert(1)</script>'), 'application/octet-stream', 'attachment'],
    ['image/svg+xml', Buffer.from('<svg onload="alert(1)"/>'), 'application/octet-stream', 'attachment'],
    ['image/png', Buffer.from('<html><script>alert(1)</script>'), 'application/octet-stream', 'attachment'],
    ['application/pdf', Buffer.from('%PDF-1.7 /JS'), 'application/octet-stream', 'attachment'],
  ])('that says %p is safe to open', async (given, content, type, disposition) => {
    const { body } = await put(`projectId=${projectId}&testId=${testIds[1]}`, content, {
      'content-type': given,
      'x-file-name': `${digest(content).slice(0, 6)}.html`,
    });
    const { headers, status } = await get(body['attachmentId']);
    expect(status).toBe(200);
    expect([headers.get('content-type'), headers.get('content-disposition')?.split(';')[0]]).toEqual([
      type,
      disposition,
    ]);
    expect([headers.get('x-content-type-options'), headers.get('content-security-policy')]).toEqual([
      'nosniff',
      "default-src 'none'; sandbox; frame-ancestors 'none'",
    ]);
  });

  test.each([
    ['bytes=0-0', 206, 'bytes 0-0/600000', [0, 1]],
    ['bytes=262143-262145', 206, 'bytes 262143-262145/600000', [262_143, 262_146]],
    ['bytes=-5', 206, 'bytes 599995-599999/600000', [599_995, 600_000]],
    ['bytes=599999-', 206, 'bytes 599999-599999/600000', [599_999, 600_000]],
    ['bytes=500000-9999999', 206, 'bytes 500000-599999/600000', [500_000, 600_000]],
    ['bytes=600000-', 416, 'bytes */600000', [0, 0]],
    ['bytes=-0', 416, 'bytes */600000', [0, 0]],
    ['bytes=5-2', 200, null, [0, 600_000]],
    ['bytes=0-1,4-5', 200, null, [0, 600_000]],
    ['lines=0-1', 200, null, [0, 600_000]],
  ] as const)('%s', async (range, status, contentRange, [from, to]) => {
    const content = noise(600_000, 7);
    const { body } = await put(`projectId=${projectId}&testId=${testIds[2]}`, content);
    const answer = await get(body['attachmentId'], { range });
    expect([answer.status, answer.headers.get('content-range')]).toEqual([status, contentRange]);
    expect(digest(await answer.bytes())).toBe(digest(content.subarray(from, to)));
  });

  test('has its size without being read, whatever range is asked', async () => {
    const { body } = await put(`projectId=${projectId}&testId=${testIds[3]}`, noise(600_000, 8));
    const answer = await trivet.fetch(`/api/attachments/${String(body['attachmentId'])}`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${token}`, range: 'bytes=0-9' },
    });
    const told = ['content-length', 'etag', 'accept-ranges'].map((name) => answer.headers.get(name));
    expect([answer.status, ...told]).toEqual([200, '600000', `"${String(body['sha256'])}"`, 'bytes']);
    expect(await answer.bytes()).toHaveLength(0);
  });

  test('that the client has already is not sent again', async () => {
    const { body } = await put(`projectId=${projectId}&testId=${testIds[3]}`, png);
    const tag = (await get(body['attachmentId'])).headers.get('etag') ?? '';
    expect(tag).toBe(`"${String(body['sha256'])}"`);
    expect((await get(body['attachmentId'], { 'if-none-match': tag })).status).toBe(304);
  });

  test('of the same content and name is there once; the content is stored once for each project', async () => {
    const before = await rowCounts();
    const content = noise(1_000, 99);
    const to = `projectId=${projectId}&testId=${testIds[4]}`;
    const first = await put(to, content, { 'x-file-name': 'a.log' });
    expect((await put(to, content, { 'x-file-name': 'a.log' })).body).toEqual(first.body);
    await put(`projectId=${projectId}&runId=${runId}`, content, { 'x-file-name': 'a.log' });
    const after = await rowCounts();
    expect(after).toEqual({
      attachments: before.attachments + 2,
      blobs: before.blobs + 1,
      chunks: before.chunks + 1,
    });
  });
});

describe('what is refused, and leaves nothing', () => {
  const ofTest = () => `projectId=${projectId}&testId=${testIds[5]}`;
  const cases: ReadonlyArray<
    readonly [string, () => Promise<{ status: number; body: object }>, number, string]
  > = [
    ['nothing to attach it to', () => put(`projectId=${projectId}`, png), 400, 'INVALID_REQUEST'],
    ['an empty file', () => put(ofTest(), ''), 400, 'INVALID_REQUEST'],
    [
      'a file above the limit',
      () => put(ofTest(), new Uint8Array(25 * 1024 * 1024 + 1)),
      413,
      'ATTACHMENT_TOO_LARGE',
    ],
    ['an unknown test', () => put(`projectId=${projectId}&testId=999999`, png), 404, 'TEST_NOT_FOUND'],
    ['an unknown project', () => put(`projectId=999999&testId=1`, png), 404, 'PROJECT_NOT_FOUND'],
    [
      'a compressed file',
      () => put(ofTest(), png, { 'content-encoding': 'gzip' }),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'a name that does not decode',
      () => put(ofTest(), png, { 'x-file-name': '%ff' }),
      400,
      'INVALID_REQUEST',
    ],
    ['an idempotency key', () => put(ofTest(), png, { 'idempotency-key': 'k' }), 400, 'INVALID_REQUEST'],
    ['a parameter twice', () => put(`${ofTest()}&testId=1`, png), 400, 'INVALID_REQUEST'],
    ['no token', () => put(ofTest(), png, { authorization: '' }), 401, 'UNAUTHENTICATED'],
  ];
  test.each(cases)('%s', async (_, send, status, code) => {
    const before = await rowCounts();
    const answer = await send();
    expect([answer.status, (answer.body as { error?: { code: string } }).error?.code]).toEqual([
      status,
      code,
    ]);
    expect(await rowCounts()).toEqual(before);
  });

  test('the 21st file of a record', async () => {
    const to = `projectId=${projectId}&testId=${testIds[6]}`;
    for (let n = 0; n < 20; n++) expect((await put(to, noise(10, n))).status).toBe(200);
    expect((await put(to, noise(10, 21))).body).toMatchObject({ error: { code: 'TOO_MANY_ATTACHMENTS' } });
  });

  test('a file of another organization is as if it were not there', async () => {
    const { body } = await put(`projectId=${projectId}&testId=${testIds[7]}`, png);
    const attachmentId = Number(body['attachmentId']);
    const elsewhere = trivet.withRole('admin', 2);
    const refused = await trivet.refusal('get-attachment', { attachmentId }, elsewhere);
    const unknown = await trivet.refusal('get-attachment', { attachmentId: 99_999_999 }, elsewhere);
    expect([refused?.code, unknown?.code]).toEqual(['ATTACHMENT_NOT_FOUND', 'ATTACHMENT_NOT_FOUND']);
  });

  /** @see Finding: four at once each saw the room that was there for one. */
  test('what exceeds the quota of a project, also at once', async () => {
    const small = await startTestmgmtKernel({ settings: { 'attachment-quota': '3' } });
    try {
      const project = await small.makeProject();
      const tests = await small.makeTests(project, 1);
      const made = await small.call('create-access-token', { name: 'files', scopes: ['extra'] });
      const send = async (seed: number) => {
        const { status } = await small.fetch(`/api/attachments?projectId=${project}&testId=${tests[0]}`, {
          method: 'PUT',
          headers: { authorization: `Bearer ${String(made['token'])}` },
          body: noise(900_000, seed),
        });
        return status;
      };
      const at = await Promise.all([1, 2, 3, 4].map(send));
      expect(at.toSorted()).toEqual([200, 200, 200, 409]);
      expect(await send(5)).toBe(409);
      const { q } = small.kernel.host.db;
      expect((await q.select({ id: blobs.id }).from(blobs)).length).toBe(3);
    } finally {
      await small.stop();
    }
  });

  test('uploads that are cut at random', async () => {
    const before = await rowCounts();
    const random = randomFrom(17);
    const { port } = new URL(trivet.origin);
    const cut = async () => {
      const size = 1 + random.below(2_000_000);
      const sent = random.below(size);
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => {});
      socket.write(
        `PUT /api/attachments?projectId=${projectId}&testId=${testIds[8]} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n` +
          `Authorization: Bearer ${token}\r\nContent-Length: ${size}\r\n\r\n`,
      );
      socket.write(noise(sent, sent));
      await Bun.sleep(random.below(30));
      socket.destroy();
    };
    for (let n = 0; n < 40; n++) await Promise.all([cut(), cut()]);
    const isAsBefore = async () => Bun.deepEquals(await rowCounts(), before);
    // The server may not have read the last request when this process has left it: only what stays as before counts.
    for (let looks = 0, same = 0; looks < 100 && same < 6; looks++) {
      same = (await isAsBefore()) ? same + 1 : 0;
      await Bun.sleep(50);
    }
    expect(await rowCounts()).toEqual(before);
  });
});

describe('by tools', () => {
  test('a result has its file, which is listed, and gone when deleted', async () => {
    const [, , , , , , , , , testId = 0] = testIds;
    await trivet.call('run-update-test-status', {
      projectId,
      runId,
      testResults: [{ testId, status: 'failed' }],
    });
    const made = await trivet.call('add-attachment', {
      projectId,
      runId,
      testId,
      step: 2,
      fileName: '../../etc/pass\u202ewd.png',
      base64: png.toString('base64'),
    });
    expect(made).toMatchObject({ fileName: 'passwd.png', mediaType: 'image/png', step: 2, runId, testId });
    expect(made['resultId']).toBeGreaterThan(0);
    const again = await trivet.call('add-attachment', {
      projectId,
      testId: testIds[10],
      fileName: 'same.png',
      sha256: made['sha256'],
    });
    expect(again).toMatchObject({ sha256: made['sha256'], resultId: null });
    expect(await trivet.call('list-attachments', { projectId, runId, testId })).toMatchObject({
      total: 1,
      attachments: [made],
    });
    await trivet.call('delete-attachment', { projectId, attachmentId: made['attachmentId'] });
    expect((await get(made['attachmentId'])).status).toBe(404);
    expect(digest(await (await get(again['attachmentId'])).bytes())).toBe(digest(png));
  });

  test('a digest that the project does not have is refused', async () => {
    const refused = await trivet.refusal('add-attachment', {
      projectId,
      testId: testIds[11],
      sha256: 'a'.repeat(64),
    });
    expect(refused?.code).toBe('ATTACHMENT_NOT_FOUND');
  });

  test('the upkeep deletes contents that nothing refers to, and old files of pipelines', async () => {
    const content = noise(700_000, 5);
    const { body } = await put(`projectId=${projectId}&testId=${testIds[12]}`, content);
    await trivet.call('delete-attachment', { projectId, attachmentId: body['attachmentId'] });
    const { host } = trivet.kernel;
    expect((await deleteOldAttachments(host)).contents).toBe(0);
    trivet.clock.advance(11 * 60_000);
    const before = await rowCounts();
    expect((await deleteOldAttachments(host)).contents).toBeGreaterThan(0);
    expect((await rowCounts()).chunks).toBeLessThanOrEqual(before.chunks - 3);
    expect((await rowCounts()).attachments).toBe(before.attachments);
  });
});

/** @see A report said nothing of the evidence of what failed. */
test('the report of a run names the files of what failed, and not those of other runs', async () => {
  const [testId] = testIds;
  const other = await trivet.makeRun(projectId, testIds);
  for (const [run, name] of [
    [runId, 'basket%20empty.png'],
    [other, 'of-another.png'],
  ] as const) {
    const place = `projectId=${projectId}&runId=${run}&testId=${testId}`;
    expect((await put(place, png, { 'x-file-name': `UTF-8''${name}` })).status).toBe(200);
  }
  const testResults = [{ testId, status: 'failed' }];
  await trivet.call('run-update-test-status', { projectId, runId, testResults });
  for (const format of ['html', 'json'] as const) {
    const file = await trivet.call('download-report', { projectId, runId, format });
    if (!isFile(file)) throw new Error('download-report answered no file');
    const text = (await bytesOf(file)).toString();
    if (format === 'html') expect(text).toContain('Files: basket empty.png');
    expect(text).not.toContain('of-another.png');
  }
});

/** @see Half of an emoji at the end of a name was stored as another character, so the same upload again was another file. */
test('a long name is cut between two letters', async () => {
  const query = `projectId=${projectId}&testId=${testIds[20]}`;
  const named = { 'x-file-name': encodeURIComponent(`${'n'.repeat(254)}🙂.txt`) };
  const { body } = await put(query, 'whatever', named);
  expect(body).toMatchObject({ fileName: 'n'.repeat(254) });
  expect(await put(query, 'whatever', named)).toMatchObject({ body: { attachmentId: body['attachmentId'] } });
});

/** @see Over MCP, a list was an error of the protocol, and what cannot be read as JSON one of the server. */
test.each<[string, string, boolean]>([
  ['an object', '{"a":[1]}', true],
  ['a list', '[1,2]', false],
  ['a number', '7', false],
  ['a text that was cut off', '{"a":', false],
  ['bytes that are no UTF-8', Buffer.from([0x22, 0xe4, 0x22]).toString('latin1'), false],
  [
    'a long object with numbers for names',
    JSON.stringify({ 1: 0, list: Array.from({ length: 15_000 }, (_, n) => ({ n, list: [n] })) }),
    false,
  ],
])('an attached JSON file that is %s is given to an agent', async (_title, content, isData) => {
  const { modules, host } = trivet.kernel;
  const tools = mcpTools(localExecutor(trivet.kernel, trivet.owner, {}, 'mcp'), {
    modules,
    cut: {},
    log: host.log,
  });
  const bytes = Buffer.from(content, 'latin1');
  const { attachmentId } = await trivet.call('add-attachment', {
    projectId,
    fileName: `${digest(bytes)}.json`,
    mediaType: 'application/json',
    base64: bytes.toString('base64'),
    runId,
  });
  const { signal } = new AbortController();
  const given = await tools.call('get-attachment', { attachmentId }, { signal });
  expect(given.isError).toBeUndefined();
  const expected = isData ? (JSON.parse(content) as object) : { bytes: bytes.byteLength };
  expect(given.structuredContent).toMatchObject(expected);
  const file = given.content.find((one) => one.type === 'resource');
  expect(file?.resource && 'text' in file.resource && file.resource.text).toBe(
    isData ? undefined : bytes.toString('utf8'),
  );
});
