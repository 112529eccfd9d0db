import type { Host } from '../../../core/host/host.ts';

/**
 * The scopes of OAuth clients: those of personal access tokens, and `all`. A session without scope may do everything that its user may;
 * only a client that asks for `all` gets that.
 */
const everything = 'all';

/** What a client gets that asks for nothing: the tools for which agents come. Accounts and the server have to be asked for. */
export const usualScopes = ({ toolsets }: Pick<Host, 'toolsets'>): readonly string[] =>
  toolsets.includes('testmgmt')
    ? ['testmgmt']
    : toolsets.filter((name) => name !== 'auth' && name !== 'server');

export const allScopes = (host: Pick<Host, 'toolsets'>): readonly string[] => [
  ...host.toolsets.flatMap((toolset) => [toolset, `${toolset}:read`]),
  ...(host.toolsets.includes('cta') ? ['cta:publish'] : []),
  'admin',
  'read-only',
  everything,
];

/**
 * What a client gets of what it asks for. Unknown words are ignored: clients ask for those of other servers (`openid email profile`).
 * @returns the scopes in one order, separated by spaces; null: everything.
 */
export function grantScope(host: Pick<Host, 'toolsets'>, asked: string | undefined): string | null {
  const known = new Set(allScopes(host));
  const wanted = new Set((asked ?? '').split(' ').filter((word) => known.has(word)));
  if (wanted.has(everything)) return null;
  const words = allScopes(host).filter((word) => wanted.has(word));
  // "read-only" alone would otherwise mean reading with a tool of no toolset.
  const named = words.filter((word) => word !== 'read-only' && word !== 'admin');
  return (named.length > 0 ? words : [...usualScopes(host), ...words]).join(' ');
}

/** The scope of a session as a client reads it. */
export const scopeTextOf = (scope: string | null): string => scope ?? everything;

/** Whether a client that refreshes asks for no more than it has. */
export function isWithin(
  host: Pick<Host, 'toolsets'>,
  asked: string | undefined,
  held: string | null,
): boolean {
  if (asked === undefined || held === null) return true;
  const known = new Set(allScopes(host));
  const has = new Set(held.split(' '));
  return asked
    .split(' ')
    .filter((word) => known.has(word))
    .every((word) => has.has(word) || (word.endsWith(':read') && has.has(word.slice(0, -':read'.length))));
}

/** The word for a person who lets a client only read. */
export const onlyRead = 'read-only';

/** The words of a scope that a person may take away; none of `all`. */
export const choosableWords = (scope: string | null): readonly string[] =>
  scope === null ? [] : scope.split(' ').filter((word) => word !== onlyRead);

/** What a word of a scope allows, for the person who decides. */
export function wordLine(word: string, readOnly: boolean): string {
  if (word === 'cta:publish') return 'Set calls to action live';
  if (word === 'admin') return 'Invite people, change their roles and remove them';
  const reads = readOnly || word.endsWith(':read');
  return `${reads ? 'Read' : 'Read and change'} ${nameOf(word.replace(/:read$/, ''))}`;
}

/**
 * The scope that a person leaves a client.
 * @param kept the words that are ticked; of `all` there is nothing to tick.
 * @returns undefined when nothing is left: nothing ticked is nothing allowed.
 */
export function narrowScope(
  scope: string | null,
  { kept, readOnly }: { readonly kept: ReadonlySet<string>; readonly readOnly: boolean },
): string | null | undefined {
  if (scope === null) return readOnly ? onlyRead : null;
  const words = choosableWords(scope).filter((word) => kept.has(word));
  if (words.length === 0) return undefined;
  return [...words, ...(readOnly || scope.split(' ').includes(onlyRead) ? [onlyRead] : [])].join(' ');
}

const names: Readonly<Record<string, string>> = {
  testmgmt: 'test cases and runs',
  extra: 'test cases and runs, many at once',
  results: 'results of pipelines',
  insights: 'insights into tests',
  cta: 'calls to action',
  auth: 'accounts, sessions and the audit log',
};

const nameOf = (toolset: string) => names[toolset] ?? `the tools "${toolset}"`;
