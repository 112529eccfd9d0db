import { membersOf } from './message-members.ts';

/** Marks arguments that are not an object: the tool then returns an error that an agent can read. */
export const notAnObject = '\u0000not an object';

type Members = Readonly<Record<string, unknown>>;

/**
 * A message in the form that the SDK accepts. For parameters of a wrong type the SDK returns -32603 and a dump of its own checks, which no
 * agent can act on. Here they become values of the right type, which the server then looks up and refuses in words: a URI of 7 is the
 * unknown resource "7". Messages of other methods stay unchanged, and so do those whose parameters are no object: the error for them is
 * that of a message that is not JSON-RPC.
 */
export function readableMessage(message: unknown): unknown {
  if (!isObject(message)) return message;
  const { method, params = {} } = message;
  const readable = typeof method === 'string' && Object.hasOwn(forms, method) ? forms[method] : undefined;
  if (!readable || !isObject(params)) return message;
  return { ...message, params: { ...params, ...readable(params) } };
}

/** What replaces parameters of a method whose types may be wrong. */
const forms: Readonly<Record<string, (params: Members) => Members>> = {
  initialize: ({ protocolVersion, capabilities, clientInfo }) => {
    const { name, version } = membersOf(clientInfo);
    return {
      protocolVersion: textOf(protocolVersion),
      capabilities: membersOf(capabilities),
      clientInfo: { ...membersOf(clientInfo), name: textOf(name), version: textOf(version) },
    };
  },
  'tools/call': ({ name, arguments: given }) => ({
    name: typeof name === 'string' ? name : '',
    ...(given === undefined ? {} : { arguments: objectOf(given) }),
  }),
  'tools/list': cursorOf,
  'resources/list': cursorOf,
  'resources/templates/list': cursorOf,
  'prompts/list': cursorOf,
  'resources/read': ({ uri }) => ({ uri: textOf(uri) }),
  'prompts/get': ({ name, arguments: given }) => ({ name: textOf(name), ...textsIn(given) }),
  'completion/complete': ({ ref, argument, context }) => {
    const { type, name, uri } = membersOf(ref);
    const { name: argumentName, value } = membersOf(argument);
    return {
      ref: type === 'ref/resource' ? { type, uri: textOf(uri) } : { type: 'ref/prompt', name: textOf(name) },
      argument: { name: textOf(argumentName), value: textOf(value) },
      ...(context === undefined ? {} : { context: textsIn(membersOf(context)['arguments']) }),
    };
  },
};

/** Some clients send null for the first page. */
function cursorOf({ cursor }: Members): Members {
  return { cursor: cursor === undefined || cursor === null ? undefined : textOf(cursor) };
}

/** The arguments of a prompt are texts. Some models send an id as a number. */
function textsIn(given: unknown): Members {
  if (given === undefined) return {};
  const entries = Object.entries(objectOf(given));
  return { arguments: Object.fromEntries(entries.map(([name, value]) => [name, textOf(value)])) };
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);

/** Arguments as an object. Some models send them as JSON text: that is parsed. Other values are marked. */
function objectOf(given: unknown): Members {
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

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
