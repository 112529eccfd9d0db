import type { TSchema } from '@sinclair/typebox';
import type { Operation } from '../tools/operation.ts';
import { bodyDepth, toolBodyLimit, type BodyLimits } from './body.ts';
import { tokensAtOnce } from '../json/json-scan.ts';

/** No body may hold more tokens, whatever its schema allows: checking them takes time as well. */
const maximumTokens = 400_000;
/** A value whose form is the caller's (a rule, attributes). */
const freeTokens = 100;
/** Items of a list whose schema does not say how many there may be. */
const usualItems = 100;

const known = new WeakMap<TSchema, BodyLimits>();

/** What a body of arguments may cost, from the schema of the operation: lists of records may be longer than others. */
export function operationLimits({ input }: Pick<Operation, 'input'>): BodyLimits {
  const before = known.get(input);
  if (before) return before;
  const tokens = Math.min(maximumTokens, Math.max(tokensAtOnce, tokensOf(input)));
  const limits = { bytes: toolBodyLimit, depth: bodyDepth, tokens };
  known.set(input, limits);
  return limits;
}

/** The limits of a message of MCP, which names its tool inside: what the largest body may cost, and two levels around it. */
export const messageLimits: BodyLimits = {
  bytes: toolBodyLimit,
  depth: bodyDepth + 2,
  tokens: maximumTokens,
};

/** About as many tokens as the longest value of a schema has. */
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
