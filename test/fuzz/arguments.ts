import * as fc from 'fast-check';

/*
 * Arguments generated from the input schema of an operation: valid ones, valid ones with one place spoilt, and nonsense. Ids come from
 * earlier responses of the server, so that many calls reach the store.
 */
export interface JsonSchema {
  readonly type?: string | readonly [string, 'null'];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly default?: unknown;
}

type Id = number | string;

/** Values from responses, by field name; the newest are drawn. */
export interface Pool {
  harvest(answer: unknown): void;
  draw(name: string, nth: number): Id | undefined;
  forget(): void;
}

const kept = 40;
/** Parameters whose name differs from that of the field they take. */
const synonyms: Readonly<Record<string, string>> = {
  'testIds[]': 'testId',
  'labels[]': 'labelId',
  parentSectionId: 'sectionId',
  'userIds[]': 'userId',
  id: 'previewId',
};

export function idPool(): Pool {
  const known = new Map<string, Id[]>();
  const harvest = (value: unknown, name = ''): void => {
    if (Array.isArray(value)) {
      for (const item of value.slice(0, kept)) harvest(item, name);
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) harvest(member, key);
    } else if (
      /Id$|Name$|^id$|^version$/.test(name) &&
      (typeof value === 'number' || typeof value === 'string')
    ) {
      const key = name === 'id' ? 'previewId' : name;
      const values = known.get(key) ?? [];
      if (!values.includes(value)) known.set(key, [...values.slice(-kept), value]);
    }
  };
  return {
    harvest: (answer) => harvest(answer),
    draw: (name, nth) => {
      const values = known.get(synonyms[name] ?? name) ?? [];
      return values.length === 0 ? undefined : values[nth % values.length];
    },
    forget: () => known.clear(),
  };
}

/** Values that no field expects, or at the edge of the permitted range. */
export const hostile: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -0,
    -1,
    1.5,
    2 ** 31,
    2 ** 53,
    -(2 ** 53),
    1e308,
    5e-324,
    '',
    ' ',
    '\u0000',
    '\uD800',
    '\u202E',
    "'; DROP TABLE testmgmt_tests; --",
    '${7*7}',
    '../../../etc/passwd',
    '%00',
    '=1+1',
    '9007199254740993',
    'NaN',
    '1e3',
    '__proto__',
    'constructor',
    '2026-02-30T25:61:61Z',
    [],
    {},
    [[]],
    [null],
    { length: -1 },
    { toString: 1 },
  ),
  fc.integer(),
  fc.double(),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(256, 10_001, 20_001).map((length) => 'ä'.repeat(length)),
  fc.constantFrom(10, 200).map((depth) => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown),
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown>,
  fc.array(fc.integer({ min: -2, max: 50 }), { maxLength: 600 }),
);

/** Values for parameters whose schema cannot express how their parts relate: random ones are hardly ever valid. */
const examples: Readonly<Record<string, readonly unknown[]>> = {
  rule: [
    { stateToAction: {}, stateTransition: {}, actions: [] },
    {
      stateToAction: { '1': 'show' },
      stateTransition: { opened: { '0': [{ transitionTo: '1' }] }, closed: { '1': [{ transitionTo: '0' }] } },
      resetStates: ['0'],
      actions: [{ actionId: 'show', type: 'POPUP', template: '<b>hello</b>' }],
      frequency: { session: { limit: 1 }, window: { limit: 2, unit: 'days', value: 1 } },
      stateMachineTTL: 60_000,
    },
  ],
  content: ['testName,testDescription\nfirst,one\n"sec""ond",two\n', '[{"testName":"third"}]'],
};

/** A value that matches the schema. */
export function whole(schema: JsonSchema, pool: Pool, name = ''): fc.Arbitrary<unknown> {
  const good = examples[name]?.filter((value) => [schema.type].flat().includes(typeof value)) ?? [];
  const drawn = drawnFor(schema, pool, name);
  return good.length > 0 ? fc.oneof(fc.constantFrom(...good), drawn) : drawn;
}

function drawnFor(schema: JsonSchema, pool: Pool, name: string): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const fromPool = fc.nat(kept).map((nth) => pool.draw(name, nth));
  const orFromPool = (made: fc.Arbitrary<unknown>) =>
    fc
      .tuple(fromPool, made, fc.nat(9))
      .map(([known, other, dice]) => (dice > 0 && known !== undefined ? known : other));
  if (Array.isArray(schema.type)) {
    const unlessNull = drawnFor({ ...schema, type: schema.type[0] }, pool, name);
    return fc.oneof({ weight: 3, arbitrary: unlessNull }, fc.constant(null));
  }
  switch (schema.type) {
    case 'integer': {
      const { minimum = -(2 ** 53) + 1, maximum = 2 ** 53 - 1 } = schema;
      const small = fc.integer({ min: minimum, max: Math.min(maximum, Math.max(minimum, 0) + 50) });
      return orFromPool(
        fc.oneof({ weight: 4, arbitrary: small }, fc.integer({ min: minimum, max: maximum })),
      );
    }
    case 'number':
      return fc.double({ min: schema.minimum ?? -1e6, max: schema.maximum ?? 1e6, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'array': {
      const { minItems = 0, maxItems = 5, items = {} } = schema;
      const least = Math.max(minItems, 0);
      const made = fc.array(whole(items, pool, `${name}[]`), {
        minLength: least,
        maxLength: Math.min(maxItems, least + 4),
      });
      return schema.uniqueItems ? made.map((values) => [...new Set(values)]) : made;
    }
    case 'object':
      return wholeObject(schema, pool);
    default: {
      const { minLength = 0, maxLength = 60, pattern } = schema;
      if (pattern !== undefined) return orFromPool(fc.stringMatching(new RegExp(pattern))).map(String);
      return orFromPool(
        fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, minLength + 30) }),
      ).map(String);
    }
  }
}

function wholeObject({ properties = {}, required = [] }: JsonSchema, pool: Pool): fc.Arbitrary<unknown> {
  if (Object.keys(properties).length === 0)
    return fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
  const model = Object.fromEntries(
    Object.entries(properties).map(([key, schema]) => [key, whole(schema, pool, key)]),
  );
  return fc.record(model, { requiredKeys: [...required] });
}

const spoiling = fc.record({
  place: fc.nat(200),
  how: fc.constantFrom('replace', 'replace', 'leave out', 'add', 'rename'),
  value: hostile,
});

/** Mostly valid, often with one place spoilt, sometimes complete nonsense. */
export function argumentsFor(schema: JsonSchema, pool: Pool): fc.Arbitrary<unknown> {
  const good = whole(schema, pool);
  return fc.oneof(
    { weight: 6, arbitrary: good },
    { weight: 4, arbitrary: fc.tuple(good, spoiling).map(([value, how]) => spoilt(value, how)) },
    { weight: 1, arbitrary: hostile },
  );
}

interface Spoiling {
  readonly place: number;
  readonly how: string;
  readonly value: unknown;
}

/** The same value with one of its places spoilt. */
export function spoilt(value: unknown, { place, how, value: other }: Spoiling): unknown {
  const copy = structuredClone(value);
  const places: { at: Record<string, unknown>; key: string }[] = [];
  const walk = (node: unknown) => {
    if (typeof node !== 'object' || node === null) return;
    for (const [key, member] of Object.entries(node)) {
      places.push({ at: node as Record<string, unknown>, key });
      walk(member);
    }
  };
  walk(copy);
  const chosen = places[place % Math.max(1, places.length)];
  if (!chosen) return other;
  const { at, key } = chosen;
  if (how === 'replace') at[key] = other;
  if (how === 'leave out' || how === 'rename') {
    if (how === 'rename') at[`${key}X`] = at[key];
    delete at[key];
  }
  if (how === 'add' && !Array.isArray(at)) at['unexpected'] = other;
  return copy;
}

/** A text with a piece cut off, a flipped byte, or a piece doubled; mostly unchanged. */
export const blurred = (text: fc.Arbitrary<string>): fc.Arbitrary<Buffer> =>
  fc.tuple(text, fc.nat(19), fc.nat(), fc.nat(255)).map(([whole, dice, where, byte]) => {
    const bytes = Buffer.from(whole, 'utf8');
    const at = where % Math.max(1, bytes.length);
    if (dice === 0) return bytes.subarray(0, at);
    if (dice === 1 && bytes.length > 0) bytes[at] = byte;
    if (dice === 2) return Buffer.concat([bytes.subarray(0, at), bytes]);
    return bytes;
  });
