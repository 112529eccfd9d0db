import { nearest } from '../../../core/text/nearest-word.ts';

/** The parsed scopes of a token: they limit it to a part of what its user may do. */
export interface TokenScope {
  /** Toolsets in which it may use every tool; null: all toolsets. */
  readonly toolsets: readonly string[] | null;
  /** Toolsets in which it may use only read tools; null: none by name. */
  readonly readToolsets: readonly string[] | null;
  /** `admin`: it may invite users and grant roles. `cta:publish`: it may set CTAs live. `metrics`: it may read /metrics. `introspect`: see
   * {@link isForServices}. null: none. */
  readonly grants: readonly string[] | null;
  readonly readOnly: boolean;
  readonly orgId: number | null;
  /** The only project it may see. */
  readonly projectId: number | null;
}

/** The scope of a token that may do everything that its user may do. */
export const unlimitedScope: TokenScope = {
  toolsets: null,
  readToolsets: null,
  grants: null,
  readOnly: false,
  orgId: null,
  projectId: null,
};

/** The toolsets whose every tool checks the project of what it reads and writes. */
export const toolsetsOfProjects: readonly string[] = ['testmgmt', 'extra', 'results', 'insights'];

/**
 * Scopes for services, not for people: `metrics` reads /metrics, `introspect` asks about the tokens of everybody. They count for all
 * organizations, so only the owner of the machine may grant them.
 */
const serviceScopes: ReadonlySet<string> = new Set(['metrics', 'introspect']);
export const isForServices = (word: string): boolean => serviceScopes.has(word);

/** Every scope; `org:ID` and `project:ID` stand for the scopes that name an organization or a project. */
const scopeWordsFor = (toolsets: readonly string[]): readonly string[] => [
  ...toolsets.flatMap((toolset) => [toolset, `${toolset}:read`]),
  ...(toolsets.includes('cta') ? ['cta:publish'] : []),
  'admin',
  'metrics',
  'introspect',
  'read-only',
  'org:ID',
  ...(toolsets.includes('testmgmt') ? ['project:ID'] : []),
];

/**
 * Parses scopes such as `testmgmt`, `cta:read`, `org:7`, `project:3`. An empty list allows everything that the user may do.
 * @param known the toolsets of the loaded modules. An unknown scope is a mistake: if ignored, it would allow more than intended (`readonly`
 * for `read-only` would allow every write).
 * @returns the scope, or a sentence about the mistake.
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
  let projectId: number | null = null;
  for (const word of words) {
    const [, kind, id] = /^(org|project):([1-9]\d{0,14})$/.exec(word) ?? [];
    if (kind === 'org') {
      if (orgId !== null && orgId !== Number(id))
        return { mistake: 'A token is for one organization: give org:ID once.' };
      orgId = Number(id);
    } else if (kind === 'project' && all.includes('project:ID')) {
      if (projectId !== null && projectId !== Number(id))
        return { mistake: 'A token is for one project: give project:ID once.' };
      projectId = Number(id);
    } else if (word === 'read-only') readOnly = true;
    else if (['org:ID', 'project:ID'].includes(word) || !all.includes(word))
      return { mistake: unknown(word, all) };
    else if (word === 'admin' || isForServices(word)) grants.add(word);
    else if (word === 'cta:publish') {
      grants.add(word);
      toolsets.add('cta');
    } else if (word.endsWith(':read')) readToolsets.add(word.slice(0, -':read'.length));
    else toolsets.add(word);
  }
  if (projectId !== null) {
    if (orgId !== null)
      return { mistake: 'A project belongs to one organization: give project:ID without org:ID.' };
    const others = [...grants, ...toolsets, ...readToolsets].filter(
      (word) => !toolsetsOfProjects.includes(word),
    );
    if (others.length > 0)
      return {
        mistake: `A token for one project may use ${toolsetsOfProjects.join(', ')} only: leave out "${others[0]}".`,
      };
    if (toolsets.size + readToolsets.size === 0)
      for (const toolset of toolsetsOfProjects) if (known.includes(toolset)) toolsets.add(toolset);
  }
  const onlyReads = [...readToolsets].filter((toolset) => !toolsets.has(toolset));
  // Without a toolset a token may use all of them, except a token for a monitoring system or a service, which may use none.
  const noTools = [...grants].some(isForServices) && !grants.has('admin');
  return {
    toolsets: noTools || toolsets.size + onlyReads.length > 0 ? [...toolsets] : null,
    readToolsets: onlyReads.length > 0 ? onlyReads : null,
    grants: grants.size > 0 ? [...grants] : null,
    readOnly,
    orgId,
    projectId,
  };
}

function unknown(word: string, all: readonly string[]): string {
  const close = nearest(word, all);
  return `There is no scope "${word.slice(0, 64)}".${close ? ` Did you mean "${close}"?` : ''} Known: ${all.join(', ')}.`;
}

const limits = Object.keys(unlimitedScope) as ReadonlyArray<keyof TokenScope>;

/** Whether the scope is {@link unlimitedScope}. */
export const isUnlimited = (scope: TokenScope): boolean =>
  limits.every((limit) => scope[limit] === unlimitedScope[limit]);

/** The scopes in the form that `trivet token create --scopes` accepts. */
export const scopeWords = ({
  toolsets,
  readToolsets,
  grants,
  readOnly,
  orgId,
  projectId,
}: TokenScope): string[] => [
  ...(toolsets ?? []).filter((toolset) => toolset !== 'cta' || !grants?.includes('cta:publish')),
  ...(readToolsets ?? []).map((toolset) => `${toolset}:read`),
  ...(grants ?? []),
  ...(readOnly ? ['read-only'] : []),
  ...(orgId === null ? [] : [`org:${orgId}`]),
  ...(projectId === null ? [] : [`project:${projectId}`]),
];
