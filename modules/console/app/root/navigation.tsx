import { useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { useTool, type Me } from '../api/queries.ts';
import { countText, numberText } from '../design/amount.ts';
import { IconButton } from '../design/button.tsx';
import { Icon } from '../design/marks/icon.tsx';
import { changeAppearance, useAppearance } from '../design/appearance.ts';
import { AccountMenu } from './account-menu.tsx';
import { isPageOf, projectTitle, type placesOf } from './places.ts';
import { ProjectSwitcher } from './project-switcher.tsx';
import { t } from '../texts/text.ts';

/** How often the counts are asked for. */
const countsEveryMs = 30_000;

interface PlaceCount {
  readonly count: number;
  /** What is counted, for a pointer and for screen readers. */
  readonly title: string;
}

/** What waits for the person in the open project, by the address of the page: proposals to decide on, and runs with tests that they have left to run. */
function useWaiting(projectId: number | null): Readonly<Record<string, PlaceCount>> {
  const when = { enabled: projectId !== null, everyMs: countsEveryMs };
  const ofProject = { projectId: projectId ?? 0, limit: 1 };
  const reviews = useTool('list-reviews', { ...ofProject, state: 'open' }, when);
  const mine = useTool('get-runs', { ...ofProject, query: 'todo:me status:active' }, when);
  if (projectId === null) return {};
  const project = `/projects/${projectId}`;
  const [proposals, runs] = [reviews.data?.total ?? 0, mine.data?.total ?? 0];
  return {
    [`${project}/reviews`]: {
      count: proposals,
      title: t('{proposals} to decide on', { proposals: countText(proposals, 'proposal') }),
    },
    [`${project}/my-work`]: {
      count: runs,
      title: t('{openRuns} with tests of yours', { openRuns: countText(runs, 'open run') }),
    },
  };
}

/**
 * Scrolls the navigation to a link: that of the present page, or the one with the focus. Not by `scrollIntoView`: Chromium begins the next Tab where that has led to, behind the skip
 * links.
 */
function showCurrent(link: Element | null): void {
  if (!link) return;
  for (let frame = link.parentElement; frame?.closest('.side'); frame = frame.parentElement) {
    const [place, room] = [link.getBoundingClientRect(), frame.getBoundingClientRect()];
    if (frame.scrollWidth > frame.clientWidth)
      frame.scrollLeft += place.left + place.width / 2 - (room.left + room.width / 2);
    if (frame.scrollHeight > frame.clientHeight)
      frame.scrollTop += Math.min(0, place.top - room.top) + Math.max(0, place.bottom - room.bottom);
  }
}

const Waiting = ({ of }: { readonly of: PlaceCount | undefined }) =>
  of === undefined || of.count === 0 ? null : (
    <span className="badge" title={of.title}>
      {numberText(of.count)}
    </span>
  );

interface NavigationProps {
  readonly me: Me;
  readonly projectId: number | null;
  readonly projectName: string | undefined;
  readonly groups: ReturnType<typeof placesOf>;
  readonly onPalette: () => void;
  readonly onSignOut: () => void;
}

/** The pages beside every page: the project above, the account below. Folded it shows icons only. */
export function Navigation({ me, projectId, projectName, groups, onPalette, onSignOut }: NavigationProps) {
  const [path] = useLocation();
  const { isFolded } = useAppearance();
  const waiting = useWaiting(projectId);

  // On a phone the navigation is one line, longer than the window.
  useEffect(() => {
    showCurrent(document.querySelector('.side [aria-current="page"]'));
  }, [path]);

  return (
    <header className={isFolded ? 'side folded' : 'side'}>
      <div className="side-top">
        <Link href="/" className="side-brand" aria-label={t('Trivet, home')}>
          <img src="/console/assets/icon.svg" alt="" />
          <span className="side-word">Trivet</span>
        </Link>
        <IconButton
          icon={isFolded ? 'unfold' : 'fold'}
          label={isFolded ? t('Show the names of the pages') : t('Show icons only')}
          aria-expanded={!isFolded}
          onPress={() => changeAppearance({ isFolded: !isFolded })}
        />
      </div>
      <ProjectSwitcher projectId={projectId} projectName={projectName} />
      <nav
        aria-label={t('Pages')}
        className="side-groups"
        // A browser leaves a link where it is when a part of it is in sight.
        onFocus={({ target }) => showCurrent(target)}
      >
        {groups.map(({ title, places }) => (
          <div key={title}>
            {title !== projectTitle && <div className="side-title side-word">{title}</div>}
            <ul className="side-links">
              {places.map(({ to, name, icon }) => (
                <li key={to}>
                  <Link
                    href={to}
                    {...(isFolded && { title: name })}
                    {...(isPageOf(path, to) && { 'aria-current': 'page' as const })}
                  >
                    <Icon of={icon} />
                    <span className="side-word grow">{name}</span>
                    <Waiting of={waiting[to]} />
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <div className="side-foot">
        <AccountMenu me={me} onPalette={onPalette} onSignOut={onSignOut} />
      </div>
    </header>
  );
}
