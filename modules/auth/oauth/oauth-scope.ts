import type { Host } from '../../../core/host.ts';
import { parseScopes } from '../personal-tokens/token-scope.ts';

/**
 * The scopes of OAuth clients: those of personal access tokens, and `all`. A session without scope may do everything that its user may;
 * only a client that asks for `all` gets that.
 */
const everything = 'all';

/** Scopes that clients get unless they ask for others: every toolset, without granting roles and publishing. */
export const usualScopes = ({ toolsets }: Pick<Host, 'toolsets'>): readonly string[] => toolsets;

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
export function grantedScope(host: Pick<Host, 'toolsets'>, asked: string | undefined): string | null {
  const known = new Set(allScopes(host));
  const wanted = new Set((asked ?? '').split(' ').filter((word) => known.has(word)));
  if (wanted.has(everything)) return null;
  const words = allScopes(host).filter((word) => wanted.has(word));
  // "read-only" alone would otherwise mean reading with a tool of no toolset.
  const named = words.filter((word) => word !== 'read-only' && word !== 'admin');
  return (named.length > 0 ? words : [...usualScopes(host), ...words]).join(' ');
}

/** The scope of a session as a client reads it. */
export const shownScope = (scope: string | null): string => scope ?? everything;

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

/** What a scope allows, one line each, for the person who decides. */
export function scopeLines(host: Pick<Host, 'toolsets'>, scope: string | null): readonly string[] {
  if (scope === null)
    return ['Do everything that you may do here, also manage people and create access tokens'];
  const parsed = parseScopes(scope.split(' '), host.toolsets);
  if ('mistake' in parsed) return [];
  const { toolsets, readToolsets, grants, readOnly } = parsed;
  return [
    ...(toolsets ?? []).map(
      (name) => `${readOnly ? 'Read' : 'Read and change'} what you may: ${nameOf(name)}`,
    ),
    ...(readToolsets ?? []).map((name) => `Read what you may: ${nameOf(name)}`),
    ...(grants?.includes('cta:publish') ? ['Set calls to action live'] : []),
    ...(grants?.includes('admin') ? ['Invite people and change their roles'] : []),
  ];
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
