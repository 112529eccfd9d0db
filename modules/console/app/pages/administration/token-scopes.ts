import { toolsetsOfProjects } from '../../../../auth/personal-tokens/token-scope.ts';
import { t, wordIn } from '../../texts/text.ts';

/** What a person chooses for a token. */
export interface ScopeChoice {
  readonly toolsets: readonly string[];
  readonly grants: readonly string[];
  readonly isReadOnly: boolean;
  /** The organization it is limited to; null: all of the person. */
  readonly orgId: number | null;
  /** The project it is limited to; null: all of the person. */
  readonly projectId: number | null;
}

export const noScopes: ScopeChoice = {
  toolsets: [],
  grants: [],
  isReadOnly: false,
  orgId: null,
  projectId: null,
};

/** A choice for one project: an area that knows no projects is not for it. */
export const forProject = (choice: ScopeChoice, projectId: number): ScopeChoice => ({
  ...choice,
  projectId,
  orgId: null,
  grants: [],
  toolsets: choice.toolsets.filter(knowsProjects),
});

/** Whether a token for one project may have the scope of a toolset. */
export const knowsProjects = (scope: string): boolean =>
  toolsetsOfProjects.includes(scope.replace(/:read$/, ''));

/** What toolsets are about. One of a module of somebody else has its own name. */
const toolsetNames: Readonly<Record<string, string>> = {
  testmgmt: t('Tests and runs'),
  results: t('Results of pipelines'),
  insights: t('Insights'),
  extra: t('More of test management: plans, fields, versions, queries'),
  cta: t('Calls to action'),
  auth: t('People, sessions and tokens'),
  server: t('The server'),
};
export const toolsetName = (toolset: string): string => wordIn(toolsetNames, toolset);

interface Task extends Pick<ScopeChoice, 'toolsets' | 'grants'> {
  readonly id: string;
  readonly name: string;
}

/** The usual tasks of a token, each with the least that it needs. */
const tasks: readonly Task[] = [
  { id: 'pipeline', name: t('A pipeline uploads results'), toolsets: ['results'], grants: [] },
  {
    id: 'agent',
    name: t('An agent works with tests and runs'),
    toolsets: ['testmgmt', 'extra'],
    grants: [],
  },
  {
    id: 'reader',
    name: t('Something reads tests and results'),
    toolsets: ['testmgmt:read', 'extra:read'],
    grants: [],
  },
  {
    id: 'cta',
    name: t('Calls to action are changed and set live'),
    toolsets: ['cta'],
    grants: ['cta:publish'],
  },
];

/** The tasks for which there are these toolsets. */
export const tasksFor = (toolsets: readonly string[]): readonly Task[] =>
  tasks.filter((task) => task.toolsets.every((scope) => toolsets.includes(scope.replace(/:read$/, ''))));

/** The scopes of a choice, as create-access-token takes them. */
export const scopesOf = ({ toolsets, grants, isReadOnly, orgId, projectId }: ScopeChoice): string[] => [
  // `cta` contains `cta:read`: said twice, it would look as if one of them narrowed the other.
  ...toolsets.filter((scope) => !scope.endsWith(':read') || !toolsets.includes(scope.slice(0, -5))),
  ...grants,
  ...(isReadOnly ? ['read-only'] : []),
  ...(orgId === null ? [] : [`org:${orgId}`]),
  ...(projectId === null ? [] : [`project:${projectId}`]),
];

/** Whether it allows anything: scopes that only limit or add grants allow nothing by themselves. */
export const allowsSomething = ({ toolsets, grants }: ScopeChoice): boolean =>
  toolsets.length > 0 || grants.includes('cta:publish');

const scopeName = (scope: string): string =>
  scope.endsWith(':read')
    ? t('{toolset} (only reading)', { toolset: toolsetName(scope.slice(0, -5)) })
    : toolsetName(scope);

/** What a token of these scopes may do, in a sentence. */
export function scopeSentence(choice: ScopeChoice): string {
  const scopes = scopesOf({ ...choice, grants: [], isReadOnly: false, orgId: null, projectId: null });
  const publishes = choice.grants.includes('cta:publish') && !scopes.includes('cta') ? ['cta'] : [];
  const tools = [...scopes, ...publishes];
  if (tools.length === 0) return t('It may use nothing yet. Choose a task, or at least one area.');
  const limits = [
    choice.isReadOnly ? t('only for reading') : '',
    choice.orgId === null ? '' : t('only in one organization'),
    choice.projectId === null ? '' : t('only in one project'),
    choice.grants.includes('admin') ? t('may grant roles') : t('cannot grant roles'),
  ].filter((limit) => limit !== '');
  return t('It may use {tools}, and nothing else: {limits}.', {
    tools: tools.map(scopeName).join(', '),
    limits: limits.join(', '),
  });
}
