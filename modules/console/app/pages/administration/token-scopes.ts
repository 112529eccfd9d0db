import { t } from '../../texts/text.ts';

/** What a person chooses for a token. */
export interface ScopeChoice {
  readonly toolsets: readonly string[];
  readonly grants: readonly string[];
  readonly isReadOnly: boolean;
  /** The organization it is limited to; null: all of the person. */
  readonly orgId: number | null;
}

export const noScopes: ScopeChoice = { toolsets: [], grants: [], isReadOnly: false, orgId: null };

/** The scopes of a choice, as create-access-token takes them. */
export const scopesOf = ({ toolsets, grants, isReadOnly, orgId }: ScopeChoice): string[] => [
  // `cta` contains `cta:read`: said twice, it would look as if one of them narrowed the other.
  ...toolsets.filter((scope) => !scope.endsWith(':read') || !toolsets.includes(scope.slice(0, -5))),
  ...grants,
  ...(isReadOnly ? ['read-only'] : []),
  ...(orgId === null ? [] : [`org:${orgId}`]),
];

/** Whether it allows anything: scopes that only limit or add grants allow nothing by themselves. */
export const allowsSomething = ({ toolsets, grants }: ScopeChoice): boolean =>
  toolsets.length > 0 || grants.includes('cta:publish');

/** What a token of these scopes may do, in a sentence. */
export function scopeSentence(choice: ScopeChoice): string {
  const scopes = scopesOf({ ...choice, grants: [], isReadOnly: false, orgId: null });
  const publishes = choice.grants.includes('cta:publish') && !scopes.includes('cta') ? ['cta'] : [];
  const tools = [...scopes, ...publishes];
  if (tools.length === 0) return t('It may use nothing yet. Choose at least one toolset.');
  const limits = [
    choice.isReadOnly ? t('only for reading') : '',
    choice.orgId === null ? '' : t('only in one organization'),
    choice.grants.includes('admin') ? t('may grant roles') : t('cannot grant roles'),
  ].filter((limit) => limit !== '');
  return t('It may use the tools of {tools}, and no others: {limits}.', {
    tools: tools.join(', '),
    limits: limits.join(', '),
  });
}
