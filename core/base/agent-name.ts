/** The longest name of a client that is kept. */
const longest = 80;

/**
 * The name that a client gives itself, as it is kept and shown. It is the text of a stranger: one line, no invisible characters, cut.
 * @returns undefined if nothing is left of it.
 */
export function agentName(given: unknown): string | undefined {
  if (typeof given !== 'string') return undefined;
  const line = given
    .slice(0, 4 * longest)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .toWellFormed()
    .trim();
  const cut = [...line].slice(0, longest).join('').trim();
  return cut === '' ? undefined : cut;
}

/**
 * The name in `clientInfo` (MCP, Implementation): the title for people, else the name.
 * @param info what a client sent.
 */
export function agentNameIn(info: unknown): string | undefined {
  const { title, name } = (typeof info === 'object' && info !== null ? info : {}) as {
    readonly title?: unknown;
    readonly name?: unknown;
  };
  return agentName(title) ?? agentName(name);
}

/** The header by which `trivet --mcp --url` says that an agent calls, and which; percent-encoded. Without a name it is empty. */
export const agentHeader = 'trivet-agent';

/** The agent that a request names; undefined: it names none. */
export function agentOf(headers: Headers): { readonly client?: string } | undefined {
  const text = headers.get(agentHeader);
  if (text === null) return undefined;
  try {
    const client = agentName(decodeURIComponent(text));
    return client === undefined ? {} : { client };
  } catch {
    return {};
  }
}
