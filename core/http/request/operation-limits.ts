import type { TSchema } from '@sinclair/typebox';
import { tokensAtOnce } from '../../json/json-scan.ts';
import type { Operation } from '../../tools/operation.ts';
import { bodyDepth, toolBodyLimit, type BodyLimits } from './body.ts';

/** The maximum for every schema: checking the values takes time, too. */
const maxTokens = 400_000;
/** The maximum tokens of a free-form value (a rule, attributes). */
const freeTokens = 100;
/** The assumed maximum items of a list whose schema has no maximum. */
const usualItems = 100;

const known = new WeakMap<TSchema, BodyLimits>();

/** The limits of the arguments of an operation, from its schema: some may contain thousands of records. */
export function operationLimits({ input }: Pick<Operation, 'input'>): BodyLimits {
  const before = known.get(input);
  if (before) return before;
  const tokens = Math.min(maxTokens, Math.max(tokensAtOnce, tokensOf(input)));
  const limits = { bytes: toolBodyLimit, depth: bodyDepth, tokens };
  known.set(input, limits);
  return limits;
}

/** The limits of a body that contains thousands of records. */
export const manyRecords: BodyLimits = { bytes: toolBodyLimit, depth: bodyDepth, tokens: maxTokens };

/** The limits of an MCP message, which names its tool inside: those of the largest body, plus two levels around it. */
export const messageLimits: BodyLimits = {
  bytes: toolBodyLimit,
  depth: bodyDepth + 2,
  tokens: maxTokens,
};

/** The approximate number of tokens of the longest value of a schema. */
function tokensOf(schema: TSchema): number {
  if (schema['type'] === 'array') {
    const items = (schema['maxItems'] as number | undefined) ?? usualItems;
    return 1 + items * (1 + tokensOf(schema['items'] as TSchema));
  }
  if (schema['type'] !== 'object') return 0;
  const properties = Object.values((schema['properties'] ?? {}) as Record<string, TSchema>);
  if (properties.length === 0) return freeTokens;
  return properties.reduce((sum, property) => sum + 2 + tokensOf(property), 1);
}
