/*
 * A client sends every word of every tool to its model, each turn. What a schema says that a model does not need is left out here:
 * a call is checked against the whole schema all the same, and its error says what is allowed. `GET /api/tools` and the OpenAPI
 * document have the whole schemas.
 */

type Schema = Readonly<Record<string, unknown>>;

/** What a client does not need to call a tool well (docs/operations.md has all of it). */
const leftOut = new Set([
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'additionalProperties',
  'format',
]);

/** The longest list of words that is shown: what `fields` takes is in the output schema. */
const shownWords = 8;

/** The descriptions that a list of tools has given so far: `projectId` is in 40 tools, and says once where it is from. */
export type Said = Set<string>;

/** The schema of a tool's arguments, without what a model does not need. */
export const shortenInput = (schema: Schema, said: Said): Schema => ({
  type: 'object',
  ...shownValue(schema, said),
});

function shownValue(schema: Schema, said: Said): Schema {
  const entries = Object.entries(schema).flatMap(
    ([key, value]): ReadonlyArray<readonly [string, unknown]> => {
      if (leftOut.has(key) || (key === 'minimum' && Number(value) <= 1)) return [];
      if (key === 'enum' && Array.isArray(value) && value.length > shownWords) return [];
      // A switch is off unless it is set.
      if (key === 'default' && value === false) return [];
      if (key === 'properties')
        return [[key, shownParameters(value as Readonly<Record<string, Schema>>, said)]];
      if (key === 'items') return [[key, shownItem(value as Schema, said)]];
      return [[key, value]];
    },
  );
  return Object.fromEntries(entries);
}

/** An item of a list of words, as `fields`: the output schema has them, and the error names them. */
function shownItem(schema: Schema, said: Said): Schema {
  const { enum: choices, description, ...rest } = shownValue(schema, said);
  const isWord = schema['type'] === 'string' && Array.isArray(schema['enum']);
  return isWord
    ? rest
    : {
        ...rest,
        ...(choices === undefined ? {} : { enum: choices }),
        ...(description === undefined ? {} : { description }),
      };
}

const shownParameters = (parameters: Readonly<Record<string, Schema>>, said: Said) =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, schema]) => {
      const { description, ...rest } = shownValue(schema, said);
      // The instructions say how many rows a list has, and the error names the greatest page.
      if (isPaging(name, schema)) return [name, { type: 'integer' }];
      return [
        name,
        description === undefined || isKnown(name, description, said) ? rest : { ...rest, description },
      ];
    }),
  );

/** `limit` and `offset` are in every list, and their names say what they are. */
const isPaging = (name: string, { default: usual, type }: Schema): boolean =>
  (name === 'limit' || name === 'offset') && type === 'integer' && usual !== undefined;

function isKnown(name: string, description: unknown, said: Said): boolean {
  const sentence = `${name}: ${String(description)}`;
  const repeated = said.has(sentence);
  said.add(sentence);
  return repeated;
}

/** The schema of a tool's data: names and types, which is what a model chooses fields by. */
export function shortenOutput(schema: Schema): Schema {
  const { type, enum: choices, properties, items, anyOf } = schema;
  if (Array.isArray(anyOf)) return shownUnion(anyOf as readonly Schema[]);
  return {
    ...(type === undefined ? {} : { type }),
    ...(choices === undefined ? {} : { enum: choices }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties as Readonly<Record<string, Schema>>).map(([name, member]) => [
              name,
              shortenOutput(member),
            ]),
          ),
        }),
    ...(items === undefined ? {} : { items: shortenOutput(items as Schema) }),
  };
}

/** A type or null is written as one schema with two types. */
function shownUnion(members: readonly Schema[]): Schema {
  const [value, ...others] = members.filter(({ type }) => type !== 'null').map(shortenOutput);
  const nullable = members.some(({ type }) => type === 'null');
  if (value && others.length === 0 && nullable && typeof value['type'] === 'string' && !value['enum'])
    return { ...value, type: [value['type'], 'null'] };
  return { anyOf: members.map(shortenOutput) };
}
