import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Type } from '@sinclair/typebox';
import { startTestKernel, type TestKernel } from '../../test/kernel.ts';
import { settled } from '../../test/rejection.ts';
import { signedIn } from '../base/actor.ts';
import { defineModule } from '../module/module.ts';
import { bytesOf, fileAnswer, isFile } from './file-answer.ts';
import { operation } from './operation.ts';
import { remoteExecutor } from './remote-executor.ts';

const megabyte = 1024 * 1024;
let pieces = 0;
const kinds = {
  csv: ['table.csv', 'text/csv; charset=utf-8'],
  json: ['table.json', 'application/json'],
  pdf: ['re"po/rt.pdf', 'application/pdf'],
  large: ['large.bin', 'application/octet-stream'],
  broken: ['broken.csv', 'text/csv'],
} as const;
const part = { total: 9, nextOffset: 2 };
const files = defineModule({
  name: 'files',
  operations: [
    operation({
      name: 'get-file',
      toolset: 'files',
      title: 'Get a file',
      description: 'Answers a file.',
      input: Type.Object({ kind: Type.String({ description: 'Which.' }) }, { additionalProperties: false }),
      output: Type.Unknown(),
      access: signedIn(),
      effect: 'read',
      handler: async (input, { progress }) => {
        const kind = input.kind as keyof typeof kinds;
        const [name, mediaType] = kinds[kind];
        const content = async function* () {
          for (const [n, line] of (kind === 'csv' ? ['a,b\r\n', 'ü,"x\ny"\r\n'] : []).entries()) {
            yield line;
            progress(n + 1, 2);
          }
          if (kind === 'json') yield* ['{"tests":[', '1,2', ']}'];
          if (kind === 'pdf') yield new Uint8Array([0x25, 0x50, 0x00, 0xff]);
          for (let i = 0; i < (kind === 'large' ? 64 : 0); i++) {
            pieces++;
            progress(i + 1, 64);
            yield new Uint8Array(megabyte).fill(i);
          }
          if (kind === 'broken') {
            yield 'a'.repeat(2 * megabyte);
            throw new Error('the disk is gone');
          }
        };
        return fileAnswer(name, mediaType, content, kind === 'csv' ? part : undefined);
      },
    }),
  ],
});

let trivet: TestKernel;
let token: string;
beforeAll(async () => {
  trivet = await startTestKernel({ plugins: [files] });
  token = (await trivet.signIn('ann@example.org')).accessToken;
});
afterAll(() => trivet.stop());

const get = (kind: string, init: RequestInit = {}) =>
  trivet.fetch('/api/tools/get-file', {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ kind }),
    ...init,
  });

describe('a file over HTTP', () => {
  test('is itself, with its type and a name that is safe in a header', async () => {
    const response = await get('csv');
    expect(await response.text()).toBe('a,b\r\nü,"x\ny"\r\n');
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="table.csv"');
    expect(response.headers.get('x-request-id')).toBeTruthy();
    const rows = ['trivet-total', 'trivet-next-offset'].map((name) => response.headers.get(name));
    expect(rows).toEqual(['9', '2']);
    const pdf = await get('pdf');
    expect([...(await pdf.bytes())]).toEqual([0x25, 0x50, 0x00, 0xff]);
    expect(pdf.headers.get('content-disposition')).toBe('attachment; filename="re_po_rt.pdf"');
  });

  test('is made as it is read, and no further than it is read', async () => {
    pieces = 0;
    const response = await get('large');
    const reader = response.body?.getReader();
    await reader?.read();
    await Bun.sleep(50);
    expect(pieces).toBeLessThan(40);
    await reader?.cancel();
    await Bun.sleep(50);
    const made = pieces;
    await Bun.sleep(50);
    expect(pieces).toBe(made);
    const whole = await (await get('large')).bytes();
    expect([whole.byteLength, whole[0], whole.at(-1)]).toEqual([64 * megabyte, 0, 63]);
  });

  test('that cannot be finished does not look whole', async () => {
    expect(await settled((await get('broken')).bytes())).toThrow();
  });
});

test('over MCP: data as data, text as text, bytes in base64', async () => {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(`${trivet.origin}/mcp?toolsets=files`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  const call = (kind: string) => client.callTool({ name: 'get-file', arguments: { kind } });
  expect(await call('json')).toEqual({
    content: [{ type: 'text', text: '{"tests":[1,2]}' }],
    structuredContent: { tests: [1, 2] },
  });
  const described = { name: 'table.csv', mediaType: 'text/csv; charset=utf-8', bytes: 15, ...part };
  expect(await call('csv')).toEqual({
    content: [
      { type: 'text', text: JSON.stringify(described) },
      {
        type: 'resource',
        resource: {
          uri: 'trivet://files/table.csv',
          mimeType: 'text/csv; charset=utf-8',
          text: 'a,b\r\nü,"x\ny"\r\n',
        },
      },
    ],
    structuredContent: described,
  });
  const told: Array<[number, number | undefined]> = [];
  const onprogress = ({ progress, total }: { progress: number; total?: number | undefined }) =>
    void told.push([progress, total]);
  await client.callTool({ name: 'get-file', arguments: { kind: 'csv' } }, undefined, { onprogress });
  expect(told).toEqual([
    [1, 2],
    [2, 2],
  ]);
  expect(await call('pdf')).toMatchObject({ content: [{}, { resource: { blob: 'JVAA/w==' } }] });
  expect(await call('broken')).toMatchObject({ isError: true });
  // It is created only until it is known to be too large.
  pieces = 0;
  const large = await call('large');
  expect(JSON.stringify(large)).toContain('large.bin has more than 4 MiB');
  expect(large).toMatchObject({ isError: true });
  expect(pieces).toBeLessThan(8);
  await client.close();
});

test('from a server somewhere else it arrives as it is', async () => {
  const executor = remoteExecutor({ url: trivet.origin, token }, {});
  for (const kind of ['csv', 'json', 'pdf', 'large'] as const) {
    const answer = await executor.call('get-file', { kind }, { signal: new AbortController().signal });
    if (!isFile(answer)) throw new Error('no file');
    expect(answer.mediaType).toBe(kinds[kind][1]);
    expect(answer.part).toEqual(kind === 'csv' ? part : undefined);
    expect(Bun.hash(await bytesOf(answer))).toBe(Bun.hash(await (await get(kind)).bytes()));
  }
});
