import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startTestKernel, type TestKernel } from '../../../test/kernel.ts';
import { groupBody, groupsOf, typeWordsOf, type ApiDocument } from './reference-page.ts';

let trivet: TestKernel;
let document: ApiDocument;
beforeAll(async () => {
  trivet = await startTestKernel();
  document = (await (await trivet.fetch('/openapi.json')).json()) as ApiDocument;
});
afterAll(() => trivet.stop());

const pageAt = async (path: string) => {
  const response = await trivet.fetch(path);
  return { status: response.status, headers: response.headers, text: await response.text() };
};

describe('a type in words', () => {
  test.each([
    [{ type: 'string', maxLength: 255 }, 'string, at most 255 characters'],
    [{ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }, 'integer'],
    [{ type: 'integer', minimum: 0, maximum: 60, default: 5 }, 'integer, 0 to 60, default 5'],
    [{ enum: ['a', 'b'] }, 'one of a, b'],
    [{ const: true }, 'true'],
    [{ type: ['string', 'null'] }, 'string or null'],
    [{ type: 'array', items: { type: 'integer' }, maxItems: 100 }, 'array of integer, at most 100 items'],
    [{ type: 'array', items: { type: 'object', properties: { a: {} } } }, 'array of objects'],
    [{ anyOf: [{ type: 'string' }, { type: 'integer' }] }, 'string or integer'],
    [{}, ''],
  ])('%j', (schema, words) => expect(typeWordsOf(schema)).toBe(words));
});

test('what a document says is text, whatever is in it', () => {
  const evil = '<img src=x onerror=alert(1)>"\'&';
  const schema = {
    type: 'object',
    properties: { [evil]: { type: 'string', description: evil, enum: [evil] } },
  };
  const route = { summary: evil, description: evil, requestBody: { content: { [evil]: { schema } } } };
  const [group] = groupsOf({
    info: { title: evil, version: evil },
    servers: [],
    paths: { [`/${evil}`]: { post: route } },
  });
  if (!group) throw new Error('no group');
  expect(group.name).toMatch(/^[a-z0-9-]+$/);
  expect(groupBody(group).text).not.toContain('<img');
});

test('every route and every field of its body is on one page, and every link leads somewhere', async () => {
  const index = await pageAt('/docs');
  const links = [...index.text.matchAll(/href="(\/docs\/[^"]+)"/g)].map(([, link = '']) => link);
  const pages = new Map<string, string>();
  for (const link of links) {
    const [path = ''] = link.split('#');
    if (!pages.has(path)) pages.set(path, (await pageAt(path)).text);
  }
  const broken = links.filter((link) => {
    const [path = '', anchor] = link.split('#');
    return anchor !== undefined && !pages.get(path)?.includes(`<section id="${anchor}">`);
  });
  expect(broken).toEqual([]);
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(routes.length).toBeGreaterThan(140);
  const sections = [...pages.values()].flatMap((text) => text.match(/<section id="[^"]+">/g) ?? []);
  expect([sections.length, new Set(sections).size]).toEqual([routes.length, routes.length]);
  const whole = [...pages.values()].join('');
  expect(routes.filter((route) => !whole.includes(`<code>${route}</code>`))).toEqual([]);
  expect(whole).toContain('<code>steps[].expected</code>');
  expect(Math.max(...[...pages.values()].map((text) => text.length))).toBeLessThan(1_000_000);
});

test('it runs nothing, loads nothing, and nobody may frame it', async () => {
  const { status, headers, text } = await pageAt('/docs/testmgmt');
  expect(status).toBe(200);
  expect(headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'; frame-ancestors 'none'$/,
  );
  expect(text).not.toMatch(/<script|https?:\/\/(?!localhost|127)|style="/);
});

test('an unknown part is a clear 404', async () => {
  const { status, text } = await pageAt('/docs/nothing');
  expect([status, text]).toEqual([404, expect.stringContaining('<a href="/docs">All routes</a>') as string]);
});
