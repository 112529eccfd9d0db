import { Type, type TArray, type TInteger, type TSchema } from '@sinclair/typebox';

/** What a caller says of the page that is wanted. */
interface Asked {
  readonly limit?: number;
  readonly offset?: number;
}

/**
 * Paging with a page size of its own: the parameters of a tool, put last, and the page that was asked for. The defaults are
 * in the schema and are filled in before; in `pageOf` they are for the type.
 */
export const pagingBy = (size: number) => ({
  paging: {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: size, description: 'How many.' })),
    offset: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        default: 0,
        description: 'To skip.',
      }),
    ),
  },
  pageOf: ({ limit = size, offset = 0 }: Asked) => ({ limit, offset }),
});

/** The paging of a list that may be long. */
export const { paging, pageOf } = pagingBy(50);

/** One schema for all lists: by it `withNextOffset` knows that an answer is one. */
const nextOffset = Type.Optional(
  Type.Integer({ description: 'The offset of what follows; absent when nothing is left.' }),
);

/** The answer of a list: `{total, limit, offset, nextOffset?, <plural>: […]}`, in a stable order. */
export function page<K extends string, T extends TSchema>(plural: K, record: T) {
  type Counts = { total: TInteger; limit: TInteger; offset: TInteger; nextOffset: typeof nextOffset };
  type Properties = Counts & Record<K, TArray<T>>;
  const counts = { total: Type.Integer(), limit: Type.Integer(), offset: Type.Integer(), nextOffset };
  return Type.Object({ ...counts, [plural]: Type.Array(record) } as Properties, {
    additionalProperties: false,
  });
}

interface Listed {
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

/**
 * The answer of a list with `nextOffset` where it was cut. Put into every answer in one place (core/tools/operation.ts), so that no list can
 * forget it: a client that reads on while it is there never misses a row. Other answers come back as they are.
 */
export function withNextOffset(output: TSchema, answer: unknown): unknown {
  const properties = output['properties'] as Record<string, unknown> | undefined;
  if (properties?.['nextOffset'] !== nextOffset) return answer;
  const { total, limit, offset, ...rest } = answer as Listed;
  const rows = Object.values(rest).find((member) => Array.isArray(member));
  const next = offset + (rows?.length ?? 0);
  return next > offset && next < total ? { total, limit, offset, nextOffset: next, ...rest } : answer;
}
