import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { loadModule } from '../../../core/kernel/module-loading.ts';
import { testmgmt } from '../manifest.ts';
import { startTestmgmtKernel, type TestmgmtKernel } from './testmgmt-kernel.ts';
import { makeWorld, validCalls, type World } from './valid-calls.ts';

const module = await loadModule(testmgmt);
let trivet: TestmgmtKernel;
let world: World;
beforeAll(async () => {
  trivet = await startTestmgmtKernel();
  world = await makeWorld(trivet);
});
afterAll(() => trivet.stop());

type Schema = Readonly<Record<string, unknown>>;

/** Values that the schema of a parameter does not allow. */
function wrongValues(schema: Schema): ReadonlyArray<readonly [string, unknown]> {
  const [unlessAbsent, absent] = (schema['anyOf'] ?? []) as Schema[];
  if (unlessAbsent && absent?.['type'] === 'null')
    return wrongValues(unlessAbsent).filter(([title]) => title !== 'null');
  if (Array.isArray(schema['type'])) {
    const unlessNull = { ...schema, type: schema['type'][0] as unknown };
    return wrongValues(unlessNull).filter(([title]) => title !== 'null');
  }
  const always = [
    ['null', null],
    ['an object', {}],
  ] as const;
  switch (schema['type']) {
    case 'integer':
      return [
        ...always,
        ['text', '1'],
        ['a fraction', 1.5],
        ['below the least', Number(schema['minimum']) - 1],
        ['beyond the most', Number(schema['maximum']) + 2],
        ['a list', [1]],
      ];
    case 'object':
      // What it contains depends on the project, e.g. values of its own fields.
      return [
        ['null', null],
        ['text', '{}'],
        ['a list', []],
      ];
    case 'boolean':
      return [...always, ['text', 'true'], ['a number', 1]];
    case 'array': {
      const item = exampleOf(schema['items'] as Schema);
      const most = Number(schema['maxItems']);
      return [
        ['null', null],
        ['text', '[]'],
        ['a wrong item', [null]],
        ['too many', Array.from({ length: most + 1 }, () => item)],
        ...(schema['minItems'] === undefined ? [] : [['none', []] as const]),
      ];
    }
    default:
      if (schema['enum']) return [...always, ['another word', 'green'], ['another case', 'Passed']];
      return [
        ...always,
        ['a number', 7],
        ['too long', 'x'.repeat(Number(schema['maxLength']) + 1)],
        ['U+0000', 'a\u0000'],
        ['half a character', 'a\ud800'],
        ...(schema['minLength'] === undefined ? [] : [['empty', ''] as const]),
        ...(schema['pattern'] === undefined ? [] : [['blank', ' \t\n'] as const]),
      ];
  }
}

function exampleOf(schema: Schema): unknown {
  if (schema['type'] === 'integer') return 1;
  if (schema['type'] !== 'object') return 'x';
  const properties = schema['properties'] as Record<string, Schema>;
  const required = (schema['required'] ?? []) as string[];
  return Object.fromEntries(required.map((name) => [name, exampleOf(properties[name] ?? {})]));
}

const tools = (module.operations ?? []).flatMap((operation) => {
  const valid = validCalls[operation.name];
  return valid ? [{ name: operation.name, input: operation.input as unknown as Schema, valid }] : [];
});

describe.each(tools.map((tool) => [tool.name, tool] as const))('%s', (name, { input, valid }) => {
  const properties = Object.entries((input['properties'] ?? {}) as Record<string, Schema>);
  const required = (input['required'] ?? []) as string[];

  const refused = async (given: object, cause: string) => {
    const fault = await trivet.refusal(name, given);
    expect(fault).toMatchObject({ code: 'INVALID_REQUEST', causeWord: cause });
    expect(fault?.tip).toStartWith(`${name} takes`);
    // The error never repeats the value itself.
    expect(fault?.message.length).toBeLessThan(4_000);
  };

  test('refuses wrong, missing, unknown and huge arguments; nothing changes', async () => {
    const good = valid(world);
    const before = await trivet.everything();
    for (const [property, schema] of properties) {
      for (const [, wrong] of wrongValues(schema)) await refused({ ...good, [property]: wrong }, property);
    }
    for (const property of required) {
      const { [property]: _, ...rest } = good;
      await refused(rest, property);
    }
    await refused({ ...good, colour: 'green' }, 'colour');
    await refused({ ...good, x: 'y'.repeat(100_000) }, 'x');
    expect(await trivet.everything()).toBe(before);
  });

  test('refuses what is wrong inside an item', async () => {
    const good = valid(world);
    const before = await trivet.everything();
    for (const [property, schema] of properties) {
      const items = schema['type'] === 'array' ? (schema['items'] as Schema) : undefined;
      if (items?.['type'] !== 'object') continue;
      const [item] = good[property] as object[];
      for (const [inner, innerSchema] of Object.entries(items['properties'] as Record<string, Schema>)) {
        for (const [, wrong] of wrongValues(innerSchema)) {
          await refused({ ...good, [property]: [item, { ...item, [inner]: wrong }] }, property);
        }
      }
      await refused({ ...good, [property]: [{ ...item, colour: 1 }] }, property);
    }
    expect(await trivet.everything()).toBe(before);
  });
});
