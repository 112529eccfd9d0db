import { Type, type TObject, type TPartial, type TProperties, type TSchema } from '@sinclair/typebox';
import { closed, words } from '../base/schema.ts';

/*
 * The fields that a list returns for each record. A model pays for every word of a page: 50 tests with all their members cost it 12,000
 * tokens (measured), and most questions need three of them.
 */

/** All fields of the records of a list, also those that are not set. */
const everyField = '*';

/** What the parameter `fields` of a list chooses, by its schema. */
const known = new WeakMap<
  TSchema,
  { readonly leftOut: ReadonlySet<string>; readonly briefly: readonly string[] | undefined }
>();

/**
 * The parameter `fields` of a list, and the records of its result.
 * @param leftOut members that a record has only when they are set, unless `fields` names them.
 * @param briefly the members that MCP returns unless `fields` names others; all unless given.
 * @example
 * const fields = listFields(noteRecord);
 * operation({ input: closedObject({ ...fields.parameter, ...paging }), output: page('notes', fields.record) })
 */
export function listFields<P extends TProperties>(
  record: TObject<P>,
  leftOut: ReadonlyArray<keyof P & string> = [],
  briefly?: ReadonlyArray<keyof P & string>,
): {
  readonly parameter: { readonly fields: ReturnType<typeof fieldList> };
  readonly record: TPartial<TObject<P>>;
} {
  const fields = fieldList(Object.keys(record.properties));
  known.set(fields, { leftOut: new Set(leftOut), briefly });
  return { parameter: { fields }, record: Type.Partial(record, closed) };
}

const fieldList = (names: readonly string[]) =>
  Type.Optional(
    Type.Array(words([...names, everyField], { description: 'A field.' }), {
      minItems: 1,
      maxItems: 50,
      description: 'Only these fields of each record; ["*"]: all.',
    }),
  );

/** The few fields of the list that has these parameters; null for any other operation. */
export function brieflyOf(input: TObject): { readonly briefly: readonly string[] } | null {
  const parameter = input.properties['fields'];
  const briefly = parameter && known.get(parameter)?.briefly;
  return briefly === undefined ? null : { briefly };
}

/** The result of a list with the chosen fields of its records. Other results are returned unchanged. */
export function withChosenFields(input: TObject, given: unknown, result: unknown): unknown {
  const parameter = input.properties['fields'];
  const list = parameter && known.get(parameter);
  if (!list) return result;
  const { fields } = given as { readonly fields?: readonly string[] };
  if (fields?.includes(everyField)) return result;
  if (!fields && list.leftOut.size === 0) return result;
  const chosen = fields && new Set(fields);
  const isShown = (key: string, value: unknown) =>
    chosen ? chosen.has(key) : value !== null || !list.leftOut.has(key);
  // The list comes first: later members of a page are other records.
  const [plural] = Object.entries(result as object).find(([, value]) => Array.isArray(value)) ?? [];
  return Object.fromEntries(
    Object.entries(result as object).map(([key, value]) =>
      key === plural && Array.isArray(value)
        ? [
            key,
            value.map((record: object) =>
              Object.fromEntries(Object.entries(record).filter((member) => isShown(...member))),
            ),
          ]
        : [key, value as unknown],
    ),
  );
}
