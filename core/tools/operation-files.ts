import type { TObject, TSchema } from '@sinclair/typebox';
import { explainIds, type IdListings } from './id-explanation.ts';
import { withIdsOfNames } from './name-resolution.ts';
import type { Operation } from './operation.ts';

const isOperation = (exported: unknown): exported is Operation =>
  typeof exported === 'object' && exported !== null && 'handler' in exported && 'effect' in exported;

/** The operations among what a file exports, alone or in lists. */
export const operationsIn = (exported: readonly unknown[]): readonly Operation[] =>
  exported.flat().filter(isOperation);

/**
 * The operations that files export. Each explains names that were given for ids.
 * @param files module namespaces.
 */
export const operationsOf = (
  files: readonly object[],
  ids: () => Promise<IdListings>,
): readonly Operation[] =>
  files
    .flatMap((file) => operationsIn(Object.values(file) as unknown[]))
    .map((operation) => ({
      ...operation,
      explain: async (rawInput, ctx) =>
        explainIds(idsOf(operation.input, await ids()), recordsOf(operation.input))(rawInput, ctx),
      resolve: async (rawInput, ctx) =>
        withIdsOfNames(idsOf(operation.input, await ids()), recordsOf(operation.input), rawInput, ctx),
    }));

/** The parameters that are records with declared parameters. A map has keys of its user, which may be called as a parameter is. */
const recordsOf = ({ properties }: TObject): ReadonlySet<string> =>
  new Set(
    Object.entries(properties).flatMap(([name, schema]) =>
      Object.keys((schema['properties'] as object | undefined) ?? {}).length > 0 ? [name] : [],
    ),
  );

/** The parameters of a schema, and those of the records in it and in its lists. */
const parametersOf = ({ properties }: TObject): ReadonlySet<string> =>
  new Set(
    Object.entries(properties).flatMap(([name, schema]) => {
      const record = (schema['items'] as TSchema | undefined) ?? schema;
      return [name, ...Object.keys((record['properties'] as object | undefined) ?? {})];
    }),
  );

/** The parameters that take ids in this operation: `labels` are ids in create-test, and names in add-labels. */
const idsOf = (input: TObject, ids: IdListings): IdListings => {
  const { properties } = input;
  const known = parametersOf(input);
  return Object.fromEntries(
    Object.entries(ids).filter(([name]) => {
      if (!known.has(name)) return false;
      const schema = properties[name];
      const inside: unknown = schema?.['type'] === 'array' ? schema['items'] : undefined;
      return (inside as TSchema | undefined)?.['type'] !== 'string' || ids[name]?.asText;
    }),
  );
};
