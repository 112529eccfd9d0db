import { Type, type TArray, type TInteger, type TSchema } from '@sinclair/typebox';

/** The parameters of a tool that answers a list a page at a time. Put them last. */
export const paging = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 50, description: 'How many.' })),
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 0,
      description: 'To skip.',
    }),
  ),
};

/** The page that was asked for. The defaults are in the schema and are filled in before; here they are for the type. */
export const pageOf = ({ limit = 50, offset = 0 }: { limit?: number; offset?: number }) => ({
  limit,
  offset,
});

/** The answer of a list: `{total, limit, offset, <plural>: […]}`, in a stable order. */
export function page<K extends string, T extends TSchema>(plural: K, record: T) {
  type Properties = { total: TInteger; limit: TInteger; offset: TInteger } & Record<K, TArray<T>>;
  const counts = { total: Type.Integer(), limit: Type.Integer(), offset: Type.Integer() };
  return Type.Object({ ...counts, [plural]: Type.Array(record) } as Properties, {
    additionalProperties: false,
  });
}
