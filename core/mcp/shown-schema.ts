/*
 * A client sends every word of every tool to its model, each turn. The parts of a schema that a model does not need are left out here. A
 * call is still checked against the full schema, and its error says what is allowed. `GET /api/tools` and the OpenAPI document contain the
 * full schemas.
 */

type Schema = Readonly<Record<string, unknown>>;

/** Keywords that a client does not need to call a tool well (docs/operations.md has all of them). */
const leftOut = new Set([
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'additionalProperties',
  'format',
]);

/** The longest enum that is shown: the values of `fields` are in the output schema. */
const shownWords = 8;

/** The descriptions that a list of tools has given so far: `projectId` occurs in 40 tools but is described once. */
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
      // A boolean is false by default.
      if (key === 'default' && value === false) return [];
      if (key === 'properties') {
        const parameters = shownParameters(value as Readonly<Record<string, Schema>>, said);
        // An object with any members.
        return Object.keys(parameters).length === 0 && schema['additionalProperties'] === true
          ? []
          : [[key, parameters]];
      }
      if (key === 'items') return [[key, shownItem(value as Schema, said)]];
      return [[key, value]];
    },
  );
  return Object.fromEntries(entries);
}

/** An item of a list of enum values, like `fields`: the output schema contains them, and the error lists them. */
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
      const { description, ...whole } = shownValue(schema, said);
      const rest = withoutKnownWords(name, whole, said);
      // The instructions give the default number of rows, and the error gives the maximum.
      if (isPaging(name, schema)) return [name, { type: 'integer' }];
      return [
        name,
        description === undefined || isPlain(description) || isKnown(name, description, said)
          ? rest
          : { ...rest, description },
      ];
    }),
  );

/** A few words without an example or another tool, such as "The new name.", say no more than the name of the parameter. */
const isPlain = (description: unknown): boolean =>
  typeof description === 'string' && description.length <= 22 && !/[:\d]|get-|list-/.test(description);

/** The values of an enum are told once for each name, e.g. `status`. */
function withoutKnownWords(name: string, schema: Schema, said: Said): Schema {
  const { enum: choices, ...rest } = schema;
  return choices !== undefined && isKnown(name, choices, said) ? rest : schema;
}

/** `limit` and `offset` are in every list, and their names are self-explanatory. */
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
  // One of several objects: the usual one is told. It closes nothing out, so every other one fits it, too, and says itself what it is.
  if (Array.isArray(anyOf) && type !== undefined) return shortenOutput((anyOf as readonly Schema[])[0] ?? {});
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

/** A nullable type is written as one schema with two types. */
function shownUnion(members: readonly Schema[]): Schema {
  const [value, ...others] = members.filter(({ type }) => type !== 'null').map(shortenOutput);
  const nullable = members.some(({ type }) => type === 'null');
  if (value && others.length === 0 && nullable && typeof value['type'] === 'string' && !value['enum'])
    return { ...value, type: [value['type'], 'null'] };
  return { anyOf: members.map(shortenOutput) };
}
