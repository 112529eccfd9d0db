import type { Me } from '../api/queries.ts';
import type { IconName } from '../design/marks/icon.tsx';
import type { Entry } from './palette-order.ts';
import { t } from '../texts/text.ts';

interface Place {
  readonly to: string;
  readonly name: string;
  readonly icon: IconName;
}

interface PlaceGroup {
  readonly title: string;
  readonly places: readonly Place[];
}

/** Of the first group: its pages stand under the name of the project. */
export const projectTitle = t('Project');

const projectPlaces = (project: string): readonly Place[] => [
  { to: `${project}/overview`, name: t('Overview'), icon: 'overview' },
  { to: `${project}/tests`, name: t('Tests'), icon: 'tests' },
  { to: `${project}/runs`, name: t('Runs'), icon: 'runs' },
  { to: `${project}/my-work`, name: t('My work'), icon: 'my work' },
  { to: `${project}/plans`, name: t('Plans and workload'), icon: 'plans' },
  { to: `${project}/milestones`, name: t('Milestones'), icon: 'milestones' },
  { to: `${project}/reviews`, name: t('Reviews'), icon: 'reviews' },
  { to: `${project}/insights`, name: t('Insights'), icon: 'insights' },
  { to: `${project}/coverage`, name: t('Coverage'), icon: 'coverage' },
  { to: `${project}/settings`, name: t('Project settings'), icon: 'project settings' },
];

const ctaPlaces: readonly Place[] = [
  { to: '/ctas', name: t('CTAs'), icon: 'ctas' },
  { to: '/cohorts', name: t('Cohorts'), icon: 'cohorts' },
  { to: '/behaviour-tags', name: t('Behaviour tags'), icon: 'tags' },
  { to: '/previews', name: t('Previews'), icon: 'previews' },
  { to: '/try', name: t('Simulate and explain'), icon: 'try' },
];

const serverPlaces: readonly Place[] = [
  { to: '/settings', name: t('Settings'), icon: 'settings' },
  { to: '/health', name: t('Health'), icon: 'health' },
];

/** The pages of a person: in the menu of the account. */
export const ownPlaces = [
  { to: '/tokens', name: t('Tokens') },
  { to: '/sessions', name: t('Sessions') },
  { to: '/letters', name: t('Letters') },
] as const;

/** The pages that this person may open on this server, the same in every area. @param projectId null: no project was opened yet. */
export function placesOf(me: Me, projectId: number | null): readonly PlaceGroup[] {
  const isMember = me.organizations.length > 0;
  return [
    {
      title: projectTitle,
      places: [
        { to: '/', name: t('Home'), icon: 'home' },
        ...(projectId === null || !me.modules.includes('testmgmt')
          ? []
          : projectPlaces(`/projects/${projectId}`)),
      ],
    },
    ...(me.modules.includes('cta') && isMember ? [{ title: t('Calls to action'), places: ctaPlaces }] : []),
    {
      title: t('Administration'),
      places: [
        ...(isMember ? [{ to: '/people', name: t('People'), icon: 'people' } as const] : []),
        { to: '/audit', name: t('Audit'), icon: 'audit' },
        ...(me.administersServer ? serverPlaces : []),
      ],
    },
  ];
}

/** What a person may begin from anywhere: pages that open their dialog for `?new=1`. */
export function beginningsOf(me: Me, projectId: number | null): readonly Entry[] {
  const isAtLeast = (...roles: readonly string[]) =>
    !me.isReadOnly && me.organizations.some(({ role }) => roles.includes(role));
  const hasTests = me.modules.includes('testmgmt');
  const project = `/projects/${projectId}`;
  const begun: ReadonlyArray<readonly [name: string, to: string, may: boolean]> = [
    [t('Create run'), `${project}/runs`, hasTests && projectId !== null && isAtLeast('member', 'admin')],
    [
      t('Create milestone'),
      `${project}/milestones`,
      hasTests && projectId !== null && isAtLeast('member', 'admin'),
    ],
    [t('Create plan'), `${project}/plans`, hasTests && projectId !== null && isAtLeast('member', 'admin')],
    [t('Create project'), '/', hasTests && isAtLeast('admin')],
    [t('Create CTA'), '/ctas', me.modules.includes('cta') && isAtLeast('member', 'admin')],
    [t('Create cohort'), '/cohorts', me.modules.includes('cta') && isAtLeast('member', 'admin')],
    [t('Create access token'), '/tokens', !me.isReadOnly],
    [t('Invite a person'), '/people?tab=invitations', isAtLeast('admin')],
  ];
  return begun.flatMap(([name, to, may]) =>
    may ? [{ id: `${to}${to.includes('?') ? '&' : '?'}new=1`, name, group: t('Actions') }] : [],
  );
}

/** Whether an address belongs to a page of the navigation. */
export const isPageOf = (path: string, to: string): boolean =>
  to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`);
