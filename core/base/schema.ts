import {
  Kind,
  Type,
  TypeRegistry,
  type ObjectOptions,
  type Static,
  type TObject,
  type TProperties,
  type TSchema,
  type TUnsafe,
} from '@sinclair/typebox';
import { TypeCompiler, type TypeCheck } from '@sinclair/typebox/compiler';
import { Errors, type ValueError } from '@sinclair/typebox/errors';
import { Check } from '@sinclair/typebox/value';
import { explain, pathOfPointer, type Problem } from './problem.ts';
import { nextTurn, turnIsOver } from './turns.ts';

/** Options of an object that accepts only its declared properties. By default Elysia and TypeBox accept others. */
export const closed = { additionalProperties: false } as const;

/**
 * An object that accepts only its declared properties.
 * @example closedObject({ noteId: recordId('From list-notes.') })
 */
export const closedObject = <P extends TProperties>(properties: P, options: ObjectOptions = {}): TObject<P> =>
  Type.Object(properties, { ...options, ...closed });

/** @example closedAt: nullable(Type.String()) */
export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/**
 * An enum of strings as plain JSON Schema `{type:'string', enum:[…]}`, which every client understands.
 * @example words(['csv', 'json'], { default: 'csv', description: 'The format of the file.' })
 */
export function words<const W extends readonly string[]>(
  values: W,
  options: { description: string; default?: W[number] },
): TUnsafe<W[number]> {
  return Type.Unsafe<W[number]>({ ...options, type: 'string', enum: [...values], [Kind]: 'Words' });
}

TypeRegistry.Set('Words', (schema: { enum?: unknown[] }, value) => schema.enum?.includes(value) === true);

/** The key under which {@link clearable} keeps the schema of a non-null value. */
const unlessNull = Symbol('unlessNull');

interface Clearable extends TSchema {
  readonly [unlessNull]: TSchema;
}

/**
 * A number or text that null clears, in the short form `{type: ['integer', 'null']}`, because clients pay for every word of every tool. Not
 * for lists, which an empty list clears.
 * @example sectionId: Type.Optional(clearable(recordId('From get-sections.')))
 */
export const clearable = <T extends TSchema>(schema: T): TUnsafe<Static<T> | null> =>
  Type.Unsafe<Static<T> | null>({
    ...schema,
    type: [schema['type'] as string, 'null'],
    [Kind]: 'Clearable',
    [unlessNull]: schema,
  });

TypeRegistry.Set<Clearable>(
  'Clearable',
  (schema, value) => value === null || fits(schema[unlessNull], value),
);

/** What is wrong with a value. A clearable value is checked as if null were not allowed. */
function* errorsOf(schema: TSchema, value: unknown): Generator<ValueError, void> {
  for (const error of Errors(schema, value)) {
    if (error.schema[Kind] !== 'Clearable') yield error;
    else
      for (const inner of errorsOf((error.schema as Clearable)[unlessNull], error.value))
        yield { ...inner, path: error.path };
  }
}

/**
 * The id of a record: a positive whole number.
 * @example noteId: recordId('From list-notes.')
 */
export const recordId = (description: string) =>
  Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description });

/** The schemas used so far: compiled, or null after the first use. */
const compiled = new WeakMap<TSchema, TypeCheck<TSchema> | null>();

/** Whether a value fits a schema. The schema is compiled at its second use: a process that checks a single call is faster without. */
function fits<T extends TSchema>(schema: T, value: unknown): value is Static<T> {
  let check = compiled.get(schema);
  if (check === undefined) {
    compiled.set(schema, null);
    return Check(schema, value);
  }
  if (check === null) compiled.set(schema, (check = TypeCompiler.Compile<TSchema>(schema)));
  return check.Check(value);
}

/** The maximum number of problems in one error. */
const maxProblems = 20;

type Checked<T extends TSchema> =
  | { readonly ok: true; readonly value: Static<T> }
  | { readonly ok: false; readonly problems: Problem[] };

/** Lists of at most this length are checked in one step. */
const longList = 200;

/**
 * Like {@link check}, for the arguments of a call. The items of a long list are checked one by one, and other requests run in between
 * (measured: 5,000 tests take 30 to 320 ms in one step, the first time longest).
 */
export async function checkInTurns<T extends TObject>(
  schema: T,
  value: unknown,
  signal?: AbortSignal,
): Promise<Checked<T>> {
  const lists = longLists(schema, value);
  if (lists.length === 0 || typeof value !== 'object') return check(schema, value);
  const shortened = Object.fromEntries(lists.map(({ name, items }) => [name, items.slice(0, 1)]));
  const whole = check(schema, { ...value, ...shortened });
  if (!whole.ok) return whole;
  const problems: Problem[] = [];
  for (const { name, items, list } of lists) {
    const { maxItems = Infinity } = list as { readonly maxItems?: number };
    if (items.length > maxItems)
      return { ok: false, problems: [{ path: name, message: `must have at most ${maxItems} items` }] };
    const itemSchema = list['items'] as TSchema;
    for (const [index, item] of items.entries()) {
      if (turnIsOver()) await nextTurn(signal);
      const checked = check(itemSchema, item);
      if (checked.ok) continue;
      const at = `${name}[${index}]`;
      problems.push(
        ...checked.problems.map(({ path, message }) => ({ path: path ? `${at}.${path}` : at, message })),
      );
      if (problems.length >= maxProblems) return { ok: false, problems: problems.slice(0, maxProblems) };
    }
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: value as Static<T> };
}

/** The members of a value that are long lists and whose items can be checked one by one. */
function longLists(schema: TObject, value: unknown) {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(schema.properties).flatMap(([name, list]) => {
    const items: unknown = (value as Record<string, unknown>)[name];
    const apart = list['type'] === 'array' && !list['uniqueItems'];
    return apart && Array.isArray(items) && items.length > longList
      ? [{ name, list, items: items as unknown[] }]
      : [];
  });
}

/**
 * Checks a value against a closed schema.
 * @returns the value, or up to 20 problems, one per path.
 */
export function check<T extends TSchema>(schema: T, value: unknown): Checked<T> {
  if (fits(schema, value)) {
    const problem = unstorable(value, '');
    return problem === null ? { ok: true, value } : { ok: false, problems: [problem] };
  }
  const problems = new Map<string, Problem>();
  for (const error of errorsOf(schema, value)) {
    const path = pathOfPointer(error.path);
    if (!problems.has(path)) problems.set(path, { path, message: explain(error) });
    if (problems.size >= maxProblems) break;
  }
  return { ok: false, problems: [...problems.values()] };
}

/** Returns the value with missing top-level `default`s added. Does not change its argument. */
export function withDefaults(schema: TSchema, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const properties = schema['properties'] as Record<string, TSchema> | undefined;
  const missing = Object.entries(properties ?? {}).filter(
    ([name, property]) => property['default'] !== undefined && !Object.hasOwn(value, name),
  );
  if (missing.length === 0) return value;
  return { ...value, ...Object.fromEntries(missing.map(([name, property]) => [name, property['default']])) };
}

/** PostgreSQL refuses U+0000 in text, and both engines replace half a surrogate pair. Text that a database would change is rejected. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\u0000');

/** The maximum nesting of free-form data (rules, contexts). Code that walks far deeper data runs out of stack. */
const maxDepth = 100;

/** The first part of a value that a database would not return unchanged, or that is nested too deep; otherwise null. */
function unstorable(value: unknown, path: string, depth = 0): Problem | null {
  const bad = (message: string): Problem => ({ path: path.slice(0, 200), message });
  if (typeof value === 'string')
    return isStorable(value) ? null : bad('must not contain U+0000 or half a character');
  if (typeof value !== 'object' || value === null) return null;
  if (depth === maxDepth) return bad(`must not be nested deeper than ${maxDepth} levels`);
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const inner: unknown = value[index];
      // A path is created only for a value that may be invalid: for 100,000 ids the paths took 40 ms (measured).
      if (typeof inner !== 'string' && typeof inner !== 'object') continue;
      const found = unstorable(inner, `${path}[${index}]`, depth + 1);
      if (found !== null) return found;
    }
    return null;
  }
  for (const [key, inner] of Object.entries(value)) {
    if (!isStorable(key)) return bad('must not have a key with U+0000 or half a character');
    const found = unstorable(inner, path ? `${path}.${key}` : key, depth + 1);
    if (found !== null) return found;
  }
  return null;
}
