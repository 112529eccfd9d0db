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

/** The answer of a list: `{total, limit, offset, <plural>: […]}`, in a stable order. */
export function page<K extends string, T extends TSchema>(plural: K, record: T) {
  type Properties = { total: TInteger; limit: TInteger; offset: TInteger } & Record<K, TArray<T>>;
  const counts = { total: Type.Integer(), limit: Type.Integer(), offset: Type.Integer() };
  return Type.Object({ ...counts, [plural]: Type.Array(record) } as Properties, {
    additionalProperties: false,
  });
}
