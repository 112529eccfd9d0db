import type { Me } from '../api/queries.ts';
import type { IconName } from '../design/marks/icon.tsx';
import type { Entry } from './palette-order.ts';

interface Place {
  readonly to: string;
  readonly name: string;
  readonly icon: IconName;
}

interface PlaceGroup {
  readonly title: string;
  readonly places: readonly Place[];
}

const projectPlaces = (project: string): readonly Place[] => [
  { to: `${project}/overview`, name: 'Overview', icon: 'overview' },
  { to: `${project}/tests`, name: 'Tests', icon: 'tests' },
  { to: `${project}/runs`, name: 'Runs', icon: 'runs' },
  { to: `${project}/my-work`, name: 'My work', icon: 'my work' },
  { to: `${project}/plans`, name: 'Plans and workload', icon: 'plans' },
  { to: `${project}/milestones`, name: 'Milestones', icon: 'milestones' },
  { to: `${project}/reviews`, name: 'Reviews', icon: 'reviews' },
  { to: `${project}/insights`, name: 'Insights', icon: 'insights' },
  { to: `${project}/coverage`, name: 'Coverage', icon: 'coverage' },
  { to: `${project}/settings`, name: 'Project settings', icon: 'project settings' },
];

const ctaPlaces: readonly Place[] = [
  { to: '/ctas', name: 'CTAs', icon: 'ctas' },
  { to: '/cohorts', name: 'Cohorts', icon: 'cohorts' },
  { to: '/behaviour-tags', name: 'Behaviour tags', icon: 'tags' },
  { to: '/previews', name: 'Previews', icon: 'previews' },
  { to: '/try', name: 'Simulate and explain', icon: 'try' },
];

const serverPlaces: readonly Place[] = [
  { to: '/settings', name: 'Settings', icon: 'settings' },
  { to: '/health', name: 'Health', icon: 'health' },
];

/** The pages of a person: in the menu of the account. */
export const ownPlaces = [
  { to: '/tokens', name: 'Tokens' },
  { to: '/sessions', name: 'Sessions' },
  { to: '/letters', name: 'Letters' },
] as const;

/** The pages that this person may open on this server, the same in every area. @param projectId null: no project was opened yet. */
export function placesOf(me: Me, projectId: number | null): readonly PlaceGroup[] {
  const isMember = me.organizations.length > 0;
  return [
    {
      title: 'Project',
      places: [
        { to: '/', name: 'Home', icon: 'home' },
        ...(projectId === null ? [] : projectPlaces(`/projects/${projectId}`)),
      ],
    },
    ...(me.modules.includes('cta') && isMember ? [{ title: 'Calls to action', places: ctaPlaces }] : []),
    {
      title: 'Administration',
      places: [
        ...(isMember ? [{ to: '/people', name: 'People', icon: 'people' } as const] : []),
        { to: '/audit', name: 'Audit', icon: 'audit' },
        ...(me.administersServer ? serverPlaces : []),
      ],
    },
  ];
}

/** What a person may begin from anywhere: pages that open their dialog for `?new=1`. */
export function beginningsOf(me: Me, projectId: number | null): readonly Entry[] {
  const isAtLeast = (...roles: readonly string[]) =>
    me.organizations.some(({ role }) => roles.includes(role));
  const project = `/projects/${projectId}`;
  const begun: ReadonlyArray<readonly [name: string, to: string, may: boolean]> = [
    ['Create run', `${project}/runs`, projectId !== null && isAtLeast('member', 'admin')],
    ['Create milestone', `${project}/milestones`, projectId !== null && isAtLeast('member', 'admin')],
    ['Create plan', `${project}/plans`, projectId !== null && isAtLeast('member', 'admin')],
    ['Create project', '/', isAtLeast('admin')],
    ['Create CTA', '/ctas', me.modules.includes('cta') && isAtLeast('member', 'admin')],
    ['Create cohort', '/cohorts', me.modules.includes('cta') && isAtLeast('member', 'admin')],
    ['Create access token', '/tokens', true],
    ['Invite a person', '/people?tab=invitations', isAtLeast('admin')],
  ];
  return begun.flatMap(([name, to, may]) =>
    may ? [{ id: `${to}${to.includes('?') ? '&' : '?'}new=1`, name, group: 'Actions' }] : [],
  );
}

/** Whether an address belongs to a page of the navigation. */
export const isPageOf = (path: string, to: string): boolean =>
  to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`);
