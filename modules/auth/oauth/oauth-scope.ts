import type { Host } from '../../../core/host/host.ts';

/**
 * The scopes of OAuth clients: those of personal access tokens, and `all`. A session without scope may do everything that its user may;
 * only a client that asks for `all` gets that.
 */
const everything = 'all';

/** The word that restricts a client to reading; alone, to reading everything. */
export const onlyRead = 'read-only';

/** The default scope of a client: the tools that agents need. Accounts and the server have to be requested. */
export const usualScopes = ({ toolsets }: Pick<Host, 'toolsets'>): readonly string[] =>
  toolsets.includes('testmgmt')
    ? ['testmgmt']
    : toolsets.filter((name) => name !== 'auth' && name !== 'server');

export const allScopes = (host: Pick<Host, 'toolsets'>): readonly string[] => [
  ...host.toolsets.flatMap((toolset) => [toolset, `${toolset}:read`]),
  ...(host.toolsets.includes('cta') ? ['cta:publish'] : []),
  'admin',
  onlyRead,
  everything,
];

/**
 * The scope granted to a client that asks for some words. Unknown words are ignored: clients request those of other servers (`openid email
 * profile`).
 * @returns the scopes in a fixed order, separated by spaces; null: everything; `read-only` alone: everything, to be read.
 */
export function grantScope(host: Pick<Host, 'toolsets'>, asked: string | undefined): string | null {
  const known = new Set(allScopes(host));
  const wanted = new Set((asked ?? '').split(' ').filter((word) => known.has(word)));
  if (wanted.has(everything)) return wanted.has(onlyRead) ? onlyRead : null;
  const words = allScopes(host).filter((word) => wanted.has(word));
  // Otherwise "read-only" alone would mean reading without any toolset.
  const named = words.filter((word) => word !== onlyRead && word !== 'admin');
  return (named.length > 0 ? words : [...usualScopes(host), ...words]).join(' ');
}

/** The scope of a session as shown to a client. */
export const scopeTextOf = (scope: string | null): string => scope ?? everything;

/** Whether a refresh asks for no more than the client has. */
export function isWithin(
  host: Pick<Host, 'toolsets'>,
  asked: string | undefined,
  held: string | null,
): boolean {
  if (asked === undefined || held === null) return true;
  const known = new Set(allScopes(host));
  const words = asked.split(' ').filter((word) => known.has(word));
  if (held === onlyRead) return words.includes(onlyRead) || words.every((word) => word.endsWith(':read'));
  const has = new Set(held.split(' '));
  return words.every(
    (word) => has.has(word) || (word.endsWith(':read') && has.has(word.slice(0, -':read'.length))),
  );
}

/** The words of a scope that a person may deny; none for `all`, also if it is only to be read. */
export const choosableWords = (scope: string | null): readonly string[] =>
  scope === null ? [] : scope.split(' ').filter((word) => word !== onlyRead);

/** Describes what a word of a scope allows, for the person who decides. */
export function wordLine(word: string, readOnly: boolean): string {
  if (word === 'cta:publish') return 'Set calls to action live';
  if (word === 'admin') return 'Invite people, change their roles and remove them';
  const reads = readOnly || word.endsWith(':read');
  return `${reads ? 'Read' : 'Read and change'} ${nameOf(word.replace(/:read$/, ''))}`;
}

/**
 * The scope that remains after the choice of a person.
 * @param kept the ticked words; `all` offers nothing to tick.
 * @returns undefined when no tool is left: nothing ticked is nothing allowed.
 */
export function narrowScope(
  scope: string | null,
  { kept, readOnly }: { readonly kept: ReadonlySet<string>; readonly readOnly: boolean },
): string | null | undefined {
  if (scope === null) return readOnly ? onlyRead : null;
  if (scope === onlyRead) return scope;
  const words = choosableWords(scope).filter((word) => kept.has(word));
  // "admin" alone names no tools. Without a toolset the scope of a personal token means all of them, which nobody has ticked.
  if (words.every((word) => word === 'admin')) return undefined;
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
