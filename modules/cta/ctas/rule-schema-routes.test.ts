import { afterAll, expect, test } from 'bun:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { startTestKernel } from '../../../test/kernel.ts';
import { ruleSchemaPath } from '../rules/rule-schema.ts';
import { sound } from '../testing/sound-rule.ts';

const trivet = await startTestKernel();
afterAll(() => trivet.stop());

test('anybody reads the schema, and validates a rule with it', async () => {
  const response = await trivet.fetch(ruleSchemaPath);
  expect({
    status: response.status,
    type: response.headers.get('content-type'),
    cache: response.headers.get('cache-control'),
    tag: response.headers.get('etag'),
  }).toEqual({
    status: 200,
    type: 'application/json',
    cache: 'public, max-age=300',
    tag: expect.stringMatching(/^"[\w-]{22}"$/) as string,
  });
  const document = (await response.json()) as { $id: string };
  expect(document.$id).toBe(`${trivet.origin}${ruleSchemaPath}`);
  const ajv = new Ajv2020({ strict: false });
  expect(ajv.validateSchema(document)).toBe(true);
  const valid = ajv.compile(document);
  expect([valid(sound), valid({ ...sound, actions: [{}] })]).toEqual([true, false]);
});

test('a cache asks whether it changed', async () => {
  const tag = (await trivet.fetch(ruleSchemaPath)).headers.get('etag') ?? '';
  const asked = async (header: string) => {
    const response = await trivet.fetch(ruleSchemaPath, { headers: { 'if-none-match': header } });
    return [response.status, (await response.text()).length > 0, response.headers.get('etag')];
  };
  expect(await asked(tag)).toEqual([304, false, tag]);
  expect(await asked(`"other", W/${tag}`)).toEqual([304, false, tag]);
  expect(await asked('*')).toEqual([304, false, tag]);
  expect(await asked('"other"')).toEqual([200, true, tag]);
});

test('it holds nothing of the installation but its address', async () => {
  const text = await (await trivet.fetch(ruleSchemaPath)).text();
  expect(text.split(trivet.origin).length).toBe(2);
  expect(text).not.toContain(trivet.directory);
});
