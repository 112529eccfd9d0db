/** Marks arguments that are not an object: the tool then returns an error that an agent can read. */
export const notAnObject = '\u0000not an object';

/**
 * A message in the form that the SDK accepts. For a call whose `arguments` are a text or a list the SDK returns -32603 and a dump of
 * its own checks, which no agent can act on. Some models send the arguments as JSON text: that is parsed. Other values are marked,
 * so that the call fails like any call with invalid arguments. Messages of other methods stay unchanged.
 */
export function readableCall(message: unknown): unknown {
  if (!isObject(message) || message['method'] !== 'tools/call') return message;
  const params = isObject(message['params']) ? message['params'] : {};
  const { name, arguments: given } = params;
  return {
    ...message,
    params: {
      ...params,
      name: typeof name === 'string' ? name : '',
      ...(given === undefined ? {} : { arguments: objectOf(given) }),
    },
  };
}

function objectOf(given: unknown): Record<string, unknown> {
  if (isObject(given)) return given;
  if (given === null) return {};
  try {
    const read = typeof given === 'string' ? (JSON.parse(given) as unknown) : given;
    if (isObject(read)) return read;
  } catch {
    // Not JSON: marked below.
  }
  return { [notAnObject]: true };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
