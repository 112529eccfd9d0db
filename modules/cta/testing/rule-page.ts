import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ruleSchema } from '../rules/rule-schema.ts';
import { wireRule } from '../rules/wire-rule.ts';

/** docs/cta-rules.md, the page for app teams: its examples, and the rows that its table of fields must have. */
export const page = readFileSync(join(import.meta.dir, '../../../docs/cta-rules.md'), 'utf8');

interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema | false>>;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly minItems?: number;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** The rows of the table of fields, derived from the schema: `` | `field` | type | default | limits | meaning | ``. */
export function fieldRows(): readonly string[] {
  const schema = JSON.parse(JSON.stringify(ruleSchema(''))) as Schema;
  const defs = Object.entries(schema.$defs ?? {});
  return [...rowsOf(schema, ''), ...defs.flatMap(([name, part]) => rowsOf(part, `${name}.`))];
}

function rowsOf({ properties = {}, required = [] }: Schema, prefix: string): string[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    // A field that must be absent.
    if (field === false) return [];
    return [row(path, field, required.includes(name) ? 'required' : defaultOf(path)), ...below(path, field)];
  });
}

function below(path: string, field: Schema): string[] {
  const { items, additionalProperties: named } = field;
  const inner = rowsOf(field, `${path}.`);
  if (items?.properties) inner.push(...rowsOf(items, `${path}[].`));
  if (typeof named === 'object') {
    const each = `${path}.${nameOf(path)}`;
    inner.push(row(each, named, ''), ...below(each, named));
  }
  return inner;
}

const nameOf = (path: string) => (path === 'stateTransition' ? '<event>' : '<state>');

const row = (path: string, field: Schema, fallback: string) =>
  `| ${[`\`${path}\``, typeOf(field), fallback, limitsOf(field), field.description ?? ''].join(' | ')} |`;

function typeOf({ type, items, anyOf, $ref }: Schema): string {
  if ($ref !== undefined) return $ref.slice('#/$defs/'.length);
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  if (type === undefined) return 'any JSON';
  if (type === 'array') return `array of ${items ? typeOf(items) : 'any JSON'}`;
  return typeof type === 'string' ? type : type.join(' or ');
}

function limitsOf({ enum: words, minimum, maximum, minLength, minItems }: Schema): string {
  if (words) return words.map((word) => `\`${word}\``).join(', ');
  if (minLength !== undefined || minItems !== undefined) return 'not empty';
  if (minimum === undefined) return '';
  return maximum === undefined ? `${minimum} or more` : `${minimum} to ${maximum}`;
}

/** The value that an app receives for a field that the rule omits. */
function defaultOf(path: string): string {
  const { groupByConfig, ...rest } = wireRule({ stateToAction: {}, stateTransition: {}, actions: [] }, null);
  const sent: Readonly<Record<string, unknown>> = {
    ...rest,
    'groupByConfig.groupByKeys': groupByConfig.groupByKeys,
  };
  const value = sent[path];
  return value === undefined || typeof value === 'object'
    ? Array.isArray(value)
      ? '`[]`'
      : 'none'
    : `\`${String(value)}\``;
}

export interface Example {
  readonly title: string;
  /** The JSON blocks: behaviour tags, then arguments of create-cta. */
  readonly blocks: readonly Readonly<Record<string, unknown>>[];
  /** The rows of the table: the time in seconds, the event with its properties, and the outcome. */
  readonly steps: readonly {
    readonly after: number;
    readonly event: string;
    readonly properties: object;
    readonly happens: string;
  }[];
}

/** The sections "### Example …". */
export const examples: readonly Example[] = page
  .split(/^### (?=Example)/m)
  .slice(1)
  .map((section) => {
    const [text = ''] = section.split(/^## /m);
    return {
      title: text.slice(0, text.indexOf('\n')),
      blocks: [...text.matchAll(/^```json\n([\s\S]*?)^```/gm)].map(
        ([, json = '']) => JSON.parse(json) as Example['blocks'][number],
      ),
      steps: [...text.matchAll(/^\| *(\d+) *\| *(.+?) *\| *(.*?) *\| *(.+?) *\|$/gm)].map(
        ([, after, event = '', properties = '', happens = '']) => ({
          after: Number(after),
          event: event.replaceAll('`', ''),
          properties: properties === '' ? {} : (JSON.parse(properties.replaceAll('`', '')) as object),
          happens,
        }),
      ),
    };
  });
