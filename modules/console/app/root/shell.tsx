import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useRoute } from 'wouter';
import { useTool, type Me } from '../api/queries.ts';
import { Announcer, focusList, useHasList } from '../design/announcer.tsx';
import { Banner, SignedOut } from '../design/states.tsx';
import { Toasts } from '../design/toast.tsx';
import { useAppearance } from '../design/appearance.ts';
import { personalKeys, storedText, storeText } from '../api/browser-store.ts';
import { useProjects } from '../frame/organizations.ts';
import { useDropGuard } from '../frame/dropped-files.ts';
import { usePasteNotice } from '../frame/paste-notice.ts';
import { useReachable } from '../frame/reachable.ts';
import { idOf } from '../frame/router.tsx';
import { Navigation } from './navigation.tsx';
import { Palette } from './palette.tsx';
import { beginningsOf, ownPlaces, placesOf } from './places.ts';
import { useSignOut } from './sign-out.tsx';
import { t } from '../texts/text.ts';

const projectKey = personalKeys.project;

/** The project of the address, or the one that was open before in this browser. */
function useProject() {
  const [, params] = useRoute('/projects/:project/*?');
  const inAddress = idOf(params?.project);
  const [last, setLast] = useState<number | null>(
    () => inAddress ?? idOf(storedText(projectKey) ?? undefined),
  );
  useEffect(() => {
    if (inAddress === null) return;
    setLast(inAddress);
    storeText(projectKey, String(inAddress));
  }, [inAddress]);
  // Whoever has one project means that one.
  const { projects } = useProjects(last === null);
  const only = projects.length === 1 ? (projects[0]?.projectId ?? null) : null;
  const projectId = inAddress ?? last ?? only;
  const project = useTool(
    'get-project-detail',
    { projectId: projectId ?? 0 },
    { enabled: projectId !== null },
  );
  // One that was remembered may be deleted, or belong to whoever signed in before.
  const isGone = inAddress === null && project.error !== null;
  useEffect(() => {
    if (!isGone) return;
    setLast(null);
    storeText(projectKey, '');
  }, [isGone]);
  const isKnown = inAddress !== null || project.data !== undefined;
  return {
    projectId: isKnown ? projectId : null,
    projectName: project.data?.projectName,
    /** Whether the page is of a project that can only be read. */
    isInactive: inAddress !== null && project.data?.isActive === false,
  };
}

/** The frame around every page, with the navigation. */
export function Shell({ me, children }: { readonly me: Me; readonly children: ReactNode }) {
  const { projectId, projectName, isInactive } = useProject();
  const { isFolded } = useAppearance();
  const reachable = useReachable();
  const main = useRef<HTMLElement>(null);
  const hasList = useHasList();
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const signOut = useSignOut();
  usePasteNotice();
  useDropGuard();

  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setPaletteOpen((open) => !open);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);

  const groups = placesOf(me, projectId);
  return (
    <div className={isFolded ? 'shell folded' : 'shell'}>
      <div className="skips">
        <a
          href="#main"
          onClick={(event) => {
            event.preventDefault();
            main.current?.focus();
          }}
        >
          {t('Skip to the page')}
        </a>
        {hasList && (
          <button type="button" onClick={focusList}>
            {t('Skip to the list')}
          </button>
        )}
      </div>
      <Announcer />
      <div className="banners">
        {!reachable && (
          <Banner role="status">
            {t(
              'The server cannot be reached. What you see may be old; changes are not stored until it is back.',
            )}
          </Banner>
        )}
        <SignedOut />
        {isInactive && (
          <Banner role="status">
            {t(
              'Inactive project: it can only be read. An administrator activates it on the page Project settings.',
            )}
          </Banner>
        )}
      </div>
      <Navigation
        me={me}
        projectId={projectId}
        projectName={projectName}
        groups={groups}
        onPalette={() => setPaletteOpen(true)}
        onSignOut={signOut.leave}
      />
      <main className="main" id="main" tabIndex={-1} ref={main}>
        {children}
      </main>
      {isPaletteOpen && (
        <Palette
          groups={[...groups, { title: t('Account'), places: ownPlaces }]}
          actions={beginningsOf(me, projectId)}
          projectId={projectId}
          onSignOut={signOut.leave}
          onClose={() => setPaletteOpen(false)}
        />
      )}
      {signOut.question}
      <Toasts />
    </div>
  );
}
