import { nearest } from '../../../core/nearest-word.ts';

/** What a token may do besides what its user may. */
export interface TokenScope {
  /** Toolsets of which it may use every tool, null: all. */
  readonly toolsets: readonly string[] | null;
  /** Toolsets of which it may use the tools that read; null: none by name. */
  readonly readToolsets: readonly string[] | null;
  /** `admin`: it may invite users and grant roles. `cta:publish`: it may set CTAs live. null: neither. */
  readonly grants: readonly string[] | null;
  readonly readOnly: boolean;
  readonly orgId: number | null;
}

/** Every word that a scope may have, with `org:ID` for the form of those that name an organization. */
const scopeWordsFor = (toolsets: readonly string[]): readonly string[] => [
  ...toolsets.flatMap((toolset) => [toolset, `${toolset}:read`]),
  ...(toolsets.includes('cta') ? ['cta:publish'] : []),
  'admin',
  'read-only',
  'org:ID',
];

/**
 * `testmgmt`, `cta:read`, `org:7` … as a scope. An empty list allows what the user may.
 * @param known the toolsets of the loaded modules: a word that is none of them is a mistake, and would allow something else than
 * was meant (`readonly` for `read-only` allowed every write).
 * @returns the scope, or a sentence about the word that means nothing.
 */
export function parseScopes(
  words: readonly string[],
  known: readonly string[],
): TokenScope | { readonly mistake: string } {
  const all = scopeWordsFor(known);
  const toolsets = new Set<string>();
  const readToolsets = new Set<string>();
  const grants = new Set<string>();
  let readOnly = false;
  let orgId: number | null = null;
  for (const word of words) {
    const organization = /^org:([1-9]\d{0,14})$/.exec(word)?.[1];
    if (organization) {
      if (orgId !== null && orgId !== Number(organization))
        return { mistake: 'A token is for one organization: give org:ID once.' };
      orgId = Number(organization);
    } else if (word === 'read-only') readOnly = true;
    else if (word === 'org:ID' || !all.includes(word)) return { mistake: unknown(word, all) };
    else if (word === 'admin') grants.add(word);
    else if (word === 'cta:publish') {
      grants.add(word);
      toolsets.add('cta');
    } else if (word.endsWith(':read')) readToolsets.add(word.slice(0, -':read'.length));
    else toolsets.add(word);
  }
  const onlyReads = [...readToolsets].filter((toolset) => !toolsets.has(toolset));
  return {
    toolsets: toolsets.size + onlyReads.length > 0 ? [...toolsets] : null,
    readToolsets: onlyReads.length > 0 ? onlyReads : null,
    grants: grants.size > 0 ? [...grants] : null,
    readOnly,
    orgId,
  };
}

function unknown(word: string, all: readonly string[]): string {
  const close = nearest(word, all);
  return `There is no scope "${word.slice(0, 64)}".${close ? ` Did you mean "${close}"?` : ''} Known: ${all.join(', ')}.`;
}

/** Whether the token has no scope: it may do what its user may. */
export const isUnlimited = ({ toolsets, readToolsets, grants, readOnly, orgId }: TokenScope): boolean =>
  toolsets === null && readToolsets === null && grants === null && !readOnly && orgId === null;

/** The words that `trivet token create --scopes` would take for this scope. */
export const scopeWords = ({ toolsets, readToolsets, grants, readOnly, orgId }: TokenScope): string[] => [
  ...(toolsets ?? []).filter((toolset) => toolset !== 'cta' || !grants?.includes('cta:publish')),
  ...(readToolsets ?? []).map((toolset) => `${toolset}:read`),
  ...(grants ?? []),
  ...(readOnly ? ['read-only'] : []),
  ...(orgId === null ? [] : [`org:${orgId}`]),
];
