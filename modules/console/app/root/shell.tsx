import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Link, useLocation, useRoute } from 'wouter';
import { send } from '../api/call.ts';
import { useTool, type Me } from '../api/queries.ts';
import { countText, numberText } from '../design/amount.ts';
import { Announcer, focusList, useHasList } from '../design/announcer.tsx';
import { ActionMenu } from '../design/menu.tsx';
import { sayError, Toasts } from '../design/toast.tsx';
import { Palette } from './palette.tsx';
import type { Entry } from './palette-order.ts';
import { useReachable } from '../frame/reachable.ts';
import { idOf } from '../frame/router.tsx';

interface Place {
  readonly to: string;
  readonly name: string;
}

const ctaPlaces: readonly Place[] = [
  { to: '/ctas', name: 'CTAs' },
  { to: '/cohorts', name: 'Cohorts' },
  { to: '/behaviour-tags', name: 'Behaviour tags' },
  { to: '/previews', name: 'Previews' },
  { to: '/try', name: 'Simulate and explain' },
];

const ownPlaces: readonly Place[] = [
  { to: '/tokens', name: 'Tokens' },
  { to: '/sessions', name: 'Sessions' },
  { to: '/audit', name: 'Audit' },
];

const serverPlaces: readonly Place[] = [
  { to: '/settings', name: 'Settings' },
  { to: '/health', name: 'Health' },
];

/** The pages that this person may open on this server. */
export function placesOf(me: Me, projectId: number | null) {
  const project = `/projects/${projectId}`;
  const projectPlaces: readonly Place[] =
    projectId === null
      ? []
      : [
          { to: `${project}/tests`, name: 'Tests' },
          { to: `${project}/runs`, name: 'Runs' },
          { to: `${project}/reviews`, name: 'Reviews' },
          { to: `${project}/milestones`, name: 'Milestones' },
          { to: `${project}/plans`, name: 'Plans and workload' },
          { to: `${project}/my-work`, name: 'My work' },
          { to: `${project}/insights`, name: 'Insights' },
          { to: `${project}/coverage`, name: 'Coverage' },
          { to: `${project}/settings`, name: 'Project settings' },
        ];
  const isMember = me.organizations.length > 0;
  return [
    { title: 'Project', places: [{ to: '/', name: 'Projects' }, ...projectPlaces] },
    ...(me.modules.includes('cta') && isMember ? [{ title: 'Calls to action', places: ctaPlaces }] : []),
    {
      title: 'Administration',
      places: [
        ...(isMember ? [{ to: '/people', name: 'People' }] : []),
        ...ownPlaces,
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

async function signOut(): Promise<void> {
  try {
    await send('/console/sign-out', { method: 'POST' });
    location.assign('/console/sign-in');
  } catch (error) {
    sayError(error);
  }
}

/** The project of the address, or the one that was open before. */
function useProjectId(): number | null {
  const [, params] = useRoute('/projects/:project/*?');
  const inAddress = idOf(params?.project);
  const [last, setLast] = useState<number | null>(inAddress);
  useEffect(() => {
    if (inAddress !== null) setLast(inAddress);
  }, [inAddress]);
  return inAddress ?? last;
}

/** How often the count of proposals is asked for. */
const reviewsEveryMs = 30_000;

/** Proposals on which nobody has decided yet. */
function useOpenReviews(projectId: number | null): number {
  const open = useTool(
    'list-reviews',
    { projectId: projectId ?? 0, state: 'open', limit: 1 },
    { enabled: projectId !== null, everyMs: reviewsEveryMs },
  );
  return projectId === null ? 0 : (open.data?.total ?? 0);
}

/** The frame around every page, with the navigation. */
export function Shell({ me, children }: { readonly me: Me; readonly children: ReactNode }) {
  const [path] = useLocation();
  const projectId = useProjectId();
  const reachable = useReachable();
  const main = useRef<HTMLElement>(null);
  const hasList = useHasList();
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const project = useTool(
    'get-project-detail',
    { projectId: projectId ?? 0 },
    { enabled: projectId !== null },
  );

  const openReviews = useOpenReviews(projectId);

  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setPaletteOpen((open) => !open);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);

  // On a phone the navigation is one line, longer than the window.
  useEffect(() => {
    document
      .querySelector('.side [aria-current="page"]')
      ?.scrollIntoView({ inline: 'center', block: 'nearest' });
  }, [path]);

  const groups = placesOf(me, projectId);
  return (
    <div className="shell">
      <div className="skips">
        <a
          href="#main"
          onClick={(event) => {
            event.preventDefault();
            main.current?.focus();
          }}
        >
          Skip to the page
        </a>
        {hasList && (
          <button type="button" onClick={focusList}>
            Skip to the list
          </button>
        )}
      </div>
      <Announcer />
      {!reachable && (
        <div className="offline" role="status">
          The server cannot be reached. What you see may be old; changes are not stored until it is back.
        </div>
      )}
      <header className="side">
        <Link href="/" className="side-brand" aria-label="Trivet, all projects">
          <img src="/console/assets/icon.svg" alt="" />
          <span>Trivet</span>
        </Link>
        <nav aria-label="Pages" className="stack">
          {groups.map(({ title, places }) => (
            <div key={title}>
              <div className="side-title cut">
                {title === 'Project' && projectId !== null ? (project.data?.projectName ?? title) : title}
              </div>
              <ul className="side-links">
                {places.map(({ to, name }) => (
                  <li key={to}>
                    <Link href={to} {...(isWithin(path, to) && { 'aria-current': 'page' as const })}>
                      {name}
                      {name === 'Reviews' && openReviews > 0 && (
                        <span className="badge" title={`${countText(openReviews, 'proposal')} to decide on`}>
                          {numberText(openReviews)}
                        </span>
                      )}
                    </Link>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </nav>
        <div className="side-foot">
          <ActionMenu
            label="account and commands"
            text={me.name ?? me.email ?? 'Account'}
            actions={[
              { id: 'palette', name: 'Go to… (Ctrl K)', onAction: () => setPaletteOpen(true) },
              { id: 'sign-out', name: 'Sign out', onAction: () => void signOut() },
            ]}
          />
        </div>
      </header>
      <main className="main" id="main" tabIndex={-1} ref={main}>
        {children}
      </main>
      {isPaletteOpen && (
        <Palette
          groups={groups}
          actions={beginningsOf(me, projectId)}
          projectId={projectId}
          onSignOut={() => void signOut()}
          onClose={() => setPaletteOpen(false)}
        />
      )}
      <Toasts />
    </div>
  );
}

const isWithin = (path: string, to: string): boolean =>
  to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`);
