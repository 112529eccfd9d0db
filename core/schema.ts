import {
  Kind,
  Type,
  TypeRegistry,
  type Static,
  type ObjectOptions,
  type TObject,
  type TProperties,
  type TSchema,
  type TUnsafe,
} from '@sinclair/typebox';
import { TypeCompiler, type TypeCheck } from '@sinclair/typebox/compiler';
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors';
import { nearest } from './nearest-word.ts';
import { nextTurn, turnIsOver } from './turns.ts';

/** Options of an object that takes no property but its declared ones. Elysia and TypeBox would let others pass. */
export const closed = { additionalProperties: false } as const;

/** An object that takes no property but its declared ones. */
export const closedObject = <P extends TProperties>(properties: P, options: ObjectOptions = {}): TObject<P> =>
  Type.Object(properties, { ...options, ...closed });

/** The schema, or null. */
export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/**
 * A string that is one of a few values, as plain JSON Schema `{type:'string', enum:[…]}`: what every client understands.
 * @example words(['csv', 'json'], { default: 'csv', description: 'The format of the file.' })
 */
export function words<const W extends readonly string[]>(
  values: W,
  options: { description: string; default?: W[number] },
): TUnsafe<W[number]> {
  return Type.Unsafe<W[number]>({ ...options, type: 'string', enum: [...values], [Kind]: 'Words' });
}

TypeRegistry.Set('Words', (schema: { enum?: unknown[] }, value) => schema.enum?.includes(value) === true);

/**
 * The id of a record: a positive whole number.
 * @example noteId: recordId('From list-notes.')
 */
export const recordId = (description: string) =>
  Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description });

/** What is wrong with one value: where (`tests[3].testName`), and what would be right. Never the value itself. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

const compiled = new WeakMap<TSchema, TypeCheck<TSchema>>();

function checkOf<T extends TSchema>(schema: T): TypeCheck<T> {
  let check = compiled.get(schema);
  if (!check) {
    check = TypeCompiler.Compile<TSchema>(schema);
    compiled.set(schema, check);
  }
  return check as TypeCheck<T>;
}

/** How many faulty items one answer names; the rest is counted. */
const maximumProblems = 20;

type Checked<T extends TSchema> =
  { readonly ok: true; readonly value: Static<T> } | { readonly ok: false; readonly problems: Problem[] };

/** Lists shorter than this are checked in one go. */
const longList = 200;

/**
 * As {@link check}, for the arguments of a call: thousands of records are checked one by one, and others are served in between
 * (measured: 5,000 tests take 30 to 320 ms in one go, the first time longest).
 */
export async function checkInTurns<T extends TObject>(
  schema: T,
  value: unknown,
  signal?: AbortSignal,
): Promise<Checked<T>> {
  const lists = longLists(schema, value);
  if (lists.length === 0 || typeof value !== 'object') return check(schema, value);
  const shown = Object.fromEntries(lists.map(({ name, items }) => [name, items.slice(0, 1)]));
  const whole = check(schema, { ...value, ...shown });
  if (!whole.ok) return whole;
  const problems: Problem[] = [];
  for (const { name, items, list } of lists) {
    if (items.length > Number(list['maxItems'] ?? Infinity))
      return {
        ok: false,
        problems: [{ path: name, message: `must have at most ${list['maxItems']} items` }],
      };
    const itemSchema = list['items'] as TSchema;
    for (const [index, item] of items.entries()) {
      if (turnIsOver()) await nextTurn(signal);
      const checked = check(itemSchema, item);
      if (checked.ok) continue;
      const at = `${name}[${index}]`;
      problems.push(
        ...checked.problems.map(({ path, message }) => ({ path: path ? `${at}.${path}` : at, message })),
      );
      if (problems.length >= maximumProblems)
        return { ok: false, problems: problems.slice(0, maximumProblems) };
    }
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: value as Static<T> };
}

/** The long lists among the members of a value, whose items can be checked apart. */
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
 * Checks a value against a closed schema, compiled once.
 * @returns the value, or up to 20 problems, the first fault of each path only.
 */
export function check<T extends TSchema>(schema: T, value: unknown): Checked<T> {
  const compiledCheck = checkOf(schema);
  if (compiledCheck.Check(value)) {
    const problem = unstorable(value, '');
    return problem === null ? { ok: true, value } : { ok: false, problems: [problem] };
  }
  const problems = new Map<string, Problem>();
  for (const error of compiledCheck.Errors(value)) {
    const path = pathOf(error.path);
    if (!problems.has(path)) problems.set(path, { path, message: explain(error) });
    if (problems.size >= maximumProblems) break;
  }
  return { ok: false, problems: [...problems.values()] };
}

/** One sentence for all problems: `tests[0].testName is required; tests[2] …`. */
export function sentence(problems: readonly Problem[]): string {
  return problems.map(({ path, message }) => `${path || 'the arguments'} ${message}`).join('; ');
}

/** How long the shape of an item may be: a caller repairs one call by it, and reads the description for more. */
const longestShape = 800;

/** For every list with a faulty item one sentence: what an item is, required members first. Pure. */
export function itemShapes(schema: TSchema, problems: readonly Problem[]): string[] {
  const lists = new Set(problems.flatMap(({ path }) => /^([^.[]+)\[/.exec(path)?.[1] ?? []));
  const properties = schema['properties'] as Record<string, TSchema> | undefined;
  return [...lists].flatMap((list) => {
    const items = properties?.[list]?.['items'] as TSchema | undefined;
    return items ? [`Each item of ${list} is ${shapeOf(items).slice(0, longestShape)}.`] : [];
  });
}

/** `{testId: integer, status: passed|failed, comment?: string}`. */
function shapeOf(schema: TSchema): string {
  if (schema['enum']) return (schema['enum'] as string[]).join('|');
  if (schema['type'] === 'array') return `[${shapeOf(schema['items'] as TSchema)}, …]`;
  const properties = schema['properties'] as Record<string, TSchema> | undefined;
  if (!properties) return String(schema['type'] ?? 'any');
  const required = new Set(schema['required'] as string[] | undefined);
  const members = Object.entries(properties)
    .toSorted(([a], [b]) => Number(required.has(b)) - Number(required.has(a)))
    .map(([name, member]) => `${name}${required.has(name) ? '' : '?'}: ${shapeOf(member)}`);
  return `{${members.join(', ')}}`;
}

/** Fills `default`s of the top level, where the value has no such property. Never changes the value it was given. */
export function withDefaults(schema: TSchema, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const properties = schema['properties'] as Record<string, TSchema> | undefined;
  const missing = Object.entries(properties ?? {}).filter(
    ([name, property]) => property['default'] !== undefined && !Object.hasOwn(value, name),
  );
  if (missing.length === 0) return value;
  return { ...value, ...Object.fromEntries(missing.map(([name, property]) => [name, property['default']])) };
}

/** `/tests/3/testName` as people write it: `tests[3].testName`. */
function pathOf(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path ? `${path}.${part}` : part), '')
    .slice(0, 200);
}

function explain({ type, schema, path }: ValueError): string {
  if (schema[Kind] === 'Words') return `must be one of ${(schema['enum'] as string[]).join(', ')}`;
  switch (type) {
    case ValueErrorType.ObjectRequiredProperty:
      return 'is required';
    case ValueErrorType.ObjectAdditionalProperties:
      return `is not a parameter${meant(schema, path)}`;
    case ValueErrorType.StringMinLength:
      return 'must not be empty';
    case ValueErrorType.StringMaxLength:
      return `must have at most ${schema['maxLength']} characters`;
    case ValueErrorType.StringPattern:
      return `must match ${schema['pattern']}`;
    case ValueErrorType.ArrayMinItems:
      return `must have at least ${schema['minItems']} item${schema['minItems'] === 1 ? '' : 's'}`;
    case ValueErrorType.ArrayMaxItems:
      return `must have at most ${schema['maxItems']} items`;
    case ValueErrorType.ArrayUniqueItems:
      return 'must not name anything twice';
    case ValueErrorType.IntegerMinimum:
    case ValueErrorType.NumberMinimum:
      return `must be at least ${schema['minimum']}`;
    case ValueErrorType.IntegerMaximum:
    case ValueErrorType.NumberMaximum:
      return `must be at most ${schema['maximum']}`;
    default:
      return `must be ${article(String(schema['type'] ?? 'valid'))}`;
  }
}

const article = (type: string) =>
  type === 'integer' ? 'a whole number' : /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;

function meant(schema: TSchema, path: string): string {
  const known = Object.keys((schema['properties'] as object | undefined) ?? {});
  const close = nearest(path.slice(path.lastIndexOf('/') + 1), known);
  return close ? ` (did you mean ${close}?)` : known.length > 0 ? ` (known: ${known.join(', ')})` : '';
}

// PostgreSQL refuses U+0000 in text and both engines replace half a surrogate pair: what cannot come back is refused.
const isStorable = (text: string) => text.isWellFormed() && !text.includes('\u0000');

/** Free-form data (rules, contexts) may nest this deep. Far beyond it, whatever walks it runs out of stack. */
const maximumDepth = 100;

/** The first part of a value that no database would give back unchanged, or that is nested too deep; null when fine. */
function unstorable(value: unknown, path: string, depth = 0): Problem | null {
  const bad = (message: string): Problem => ({ path: path.slice(0, 200), message });
  if (typeof value === 'string')
    return isStorable(value) ? null : bad('must not contain U+0000 or half a character');
  if (typeof value !== 'object' || value === null) return null;
  if (depth === maximumDepth) return bad(`must not be nested deeper than ${maximumDepth} levels`);
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const inner: unknown = value[index];
      // A path is made only for what may be at fault: for 100,000 ids the paths took 40 ms (measured).
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
