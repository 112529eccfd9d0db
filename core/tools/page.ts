import { Type, type TArray, type TInteger, type TSchema } from '@sinclair/typebox';
import type { Page } from '../db/query/counted-page.ts';
import { closed } from '../base/schema.ts';

/**
 * Paging with a default page size: the parameters of a tool, put last, and the page of an input. The defaults are in the schema
 * and are filled in before; in `pageOf` they are for the type.
 */
export const pagingBy = (size: number) => ({
  paging: {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: size, description: 'How many.' })),
    offset: Type.Optional(
      Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0, description: 'To skip.' }),
    ),
  },
  pageOf: ({ limit = size, offset = 0 }: Partial<Page>): Page => ({ limit, offset }),
});

const long = pagingBy(50);

/**
 * The parameters of a list that may be long.
 * @example input: closedObject({ projectId, ...paging })
 */
export const paging = long.paging;

/**
 * The page of an input with {@link paging}.
 * @example const { limit, offset } = pageOf(input);
 */
export const pageOf = long.pageOf;

/** By the schema of its `nextOffset`, the name of the list: a result may have other lists, before it or after it. */
const pluralOf = new WeakMap<object, string>();

const nextOffsetOf = (plural: string) => {
  const schema = Type.Optional(
    Type.Integer({ description: 'The offset of what follows; absent when nothing is left.' }),
  );
  pluralOf.set(schema, plural);
  return schema;
};

/**
 * The result of a list: `{total, limit, offset, nextOffset?, <plural>: […]}`, in a stable order.
 * @example output: page('notes', closedObject({ noteId: Type.Integer(), text: Type.String() }))
 */
export function page<K extends string, T extends TSchema>(plural: K, record: T) {
  type Counts = {
    total: TInteger;
    limit: TInteger;
    offset: TInteger;
    nextOffset: ReturnType<typeof nextOffsetOf>;
  };
  type Properties = Counts & Record<K, TArray<T>>;
  const nextOffset = nextOffsetOf(plural);
  const counts = { total: Type.Integer(), limit: Type.Integer(), offset: Type.Integer(), nextOffset };
  return Type.Object({ ...counts, [plural]: Type.Array(record) } as Properties, closed);
}

/**
 * Where a list continues after the rows of a page; undefined when nothing is left. A page without rows, e.g. one beyond the end, names none:
 * a client would ask for it again and again.
 */
export function nextOffsetAfter({ total, offset }: ListPlace, rows: number): number | undefined {
  const next = offset + rows;
  return next > offset && next < total ? next : undefined;
}

interface ListPlace {
  readonly total: number;
  readonly offset: number;
}

/** The name of the list whose paging a result has; undefined for other results. */
export function pagedListIn(output: TSchema): string | undefined {
  const properties = output['properties'] as Record<string, object> | undefined;
  return properties?.['nextOffset'] && pluralOf.get(properties['nextOffset']);
}

/**
 * The result of a list, with `nextOffset` if it is truncated. Only core/tools/operation.ts adds it, to every list, so that no list
 * can forget it: a client that reads on while it exists never misses a row. Other results are returned unchanged.
 */
export function withNextOffset(output: TSchema, result: unknown): unknown {
  const plural = pagedListIn(output);
  if (plural === undefined) return result;
  const { total, limit, offset, ...rest } = result as Page & { readonly total: number };
  const rows = (rest as Record<string, unknown>)[plural];
  const nextOffset = nextOffsetAfter({ total, offset }, Array.isArray(rows) ? rows.length : 0);
  return nextOffset === undefined ? result : { total, limit, offset, nextOffset, ...rest };
}
