import { Kind, type TSchema } from '@sinclair/typebox';
import { ValueErrorType, type ValueError } from '@sinclair/typebox/errors';
import { nearestWord } from '../text/nearest-word.ts';

/** One thing wrong with an input: its path (`tests[3].testName`), and what would be valid. Never the value itself. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** One sentence for all problems: `tests[0].testName is required; tests[2] …`. */
export function sentence(problems: readonly Problem[]): string {
  return [...Map.groupBy(problems, ({ message }) => message)]
    .map(([message, of]) => sentenceOf(of, message))
    .join('; ');
}

/** If many items have the same mistake, all are named but the mistake is described once: the list of allowed values may be long. */
const sentenceOf = (problems: readonly Problem[], message: string) =>
  problems.length > 3
    ? `${problems.map(({ path }) => path).join(', ')}: each ${message}`
    : problems.map(({ path }) => `${path || 'the arguments'} ${message}`).join('; ');

/** The maximum length of an item's shape: enough to repair a call. The description has the full text. */
const maxShapeLength = 800;

/**
 * One sentence for each parameter that is not a list but should be, or contains an invalid item: the shape of an item, required members
 * first.
 */
export function itemShapes(schema: TSchema, problems: readonly Problem[]): string[] {
  const lists = new Set(problems.flatMap(({ path }) => /^[^.[]+/.exec(path)?.[0] ?? []));
  const properties = schema['properties'] as Record<string, TSchema> | undefined;
  return [...lists].flatMap((list) => {
    const items = properties?.[list]?.['items'] as TSchema | undefined;
    return items ? [`Each item of ${list} is ${shapeOf(items).slice(0, maxShapeLength)}.`] : [];
  });
}

/** e.g. `{testId: integer, status: passed|failed, comment?: string}` */
function shapeOf(schema: TSchema): string {
  if (schema['enum']) return (schema['enum'] as string[]).join('|');
  if (schema['const'] !== undefined) return String(schema['const']);
  if (schema['type'] === 'array') return `[${shapeOf(schema['items'] as TSchema)}, …]`;
  const properties = schema['properties'] as Record<string, TSchema> | undefined;
  if (!properties) return typeText(schema);
  const required = new Set(schema['required'] as string[] | undefined);
  const members = Object.entries(properties)
    .toSorted(([a], [b]) => Number(required.has(b)) - Number(required.has(a)))
    .map(([name, member]) => `${name}${required.has(name) ? '' : '?'}: ${shapeOf(member)}`);
  return `{${members.join(', ')}}`;
}

/** The type of a value in words, e.g. `integer`, or `integer|null` where null clears. */
export const typeText = (schema: TSchema): string =>
  Array.isArray(schema['anyOf'])
    ? (schema['anyOf'] as TSchema[]).map(shapeOf).join('|')
    : [schema['type'] ?? 'any'].flat().join('|');

/** The JSON pointer `/tests/3/testName` as `tests[3].testName`. */
export function pathOfPointer(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path ? `${path}.${part}` : part), '')
    .slice(0, 200);
}

/** What is wrong with a value, without the value. */
export function explain({ type, schema, path, value }: ValueError): string {
  if (schema[Kind] === 'Words') return oneOf(schema['enum'] as string[], value);
  switch (type) {
    case ValueErrorType.ObjectRequiredProperty:
      return 'is required';
    case ValueErrorType.ObjectAdditionalProperties:
      return unknownParameter(schema, path);
    case ValueErrorType.StringMinLength:
      return schema['minLength'] === 1
        ? 'must not be empty'
        : `must have at least ${schema['minLength']} characters`;
    case ValueErrorType.StringMaxLength:
      return `must have at most ${schema['maxLength']} characters`;
    case ValueErrorType.StringPattern:
      return schema['pattern'] === '\\S' ? 'must not be blank' : `must match ${schema['pattern']}`;
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
    case ValueErrorType.IntegerExclusiveMinimum:
    case ValueErrorType.NumberExclusiveMinimum:
      return `must be above ${schema['exclusiveMinimum']}`;
    case ValueErrorType.IntegerExclusiveMaximum:
    case ValueErrorType.NumberExclusiveMaximum:
      return `must be below ${schema['exclusiveMaximum']}`;
    case ValueErrorType.ObjectMinProperties:
      return 'must not be empty';
    case ValueErrorType.Union:
      return `must be ${(schema['anyOf'] as TSchema[]).map(shapeOf).join(' or ')}`;
    default:
      return `must be ${article(String(schema['type'] ?? 'valid'))}`;
  }
}

function oneOf(choices: readonly string[], value: unknown): string {
  const close = typeof value === 'string' ? nearestWord(value, choices) : undefined;
  return `must be one of ${choices.join(', ')}${close === undefined ? '' : ` (did you mean ${close}?)`}`;
}

const article = (type: string) =>
  type === 'integer' ? 'a whole number' : /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;

/** Where every name of a certain form is allowed, e.g. names of identity providers, the form is named instead of a list. */
function unknownParameter(schema: TSchema, path: string): string {
  const [form] = Object.keys((schema['patternProperties'] as object | undefined) ?? {});
  return form === undefined ? `is not a parameter${knownParameters(schema, path)}` : `must match ${form}`;
}

function knownParameters(schema: TSchema, path: string): string {
  const known = Object.keys((schema['properties'] as object | undefined) ?? {});
  const close = nearestWord(path.slice(path.lastIndexOf('/') + 1), known);
  return close ? ` (did you mean ${close}?)` : known.length > 0 ? ` (known: ${known.join(', ')})` : '';
}
