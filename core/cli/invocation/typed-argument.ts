/*
 * The value of `-a KEY=VALUE` by the schema of the parameter.
 */

export interface ParameterType {
  readonly type?: string | readonly string[];
  readonly items?: ParameterType;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly anyOf?: readonly ParameterType[];
}

/** The types that a value may have, as its schema names them: alone, as a list, or one for each alternative. */
export const typesOf = ({ type, anyOf = [] }: Pick<ParameterType, 'type' | 'anyOf'>): readonly string[] =>
  [type ?? anyOf.flatMap((one) => one.type ?? [])].flat();

/** Text that does not convert stays text, so that the tool's own check names the problem. */
export function typedArgument(text: string, schema: ParameterType = {}): unknown {
  const { anyOf, items, pattern } = schema;
  const types = typesOf(schema);
  const type = types.find((one) => one !== 'null');
  // A text is cleared by the empty text; "null" may be meant literally, unless the text must look otherwise, as a day does.
  const isCleared =
    type === 'string' ? text === '' || (text === 'null' && pattern !== undefined) : text === 'null';
  if (isCleared && types.includes('null')) return null;
  switch (type) {
    case 'integer':
    case 'number':
      return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'array': {
      // `-a fields=testId,testName`, because JSON is hard to write in a shell. A list of free texts must be JSON, since texts may contain
      // commas.
      const item = items ?? anyOf?.find((one) => one.type === 'array')?.items;
      return (item?.type === 'integer' || item?.enum) && !text.trimStart().startsWith('[')
        ? text.split(',').map((part) => typedArgument(part.trim(), item))
        : parsed(text);
    }
    case 'object':
      return parsed(text);
    default:
      return text;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
