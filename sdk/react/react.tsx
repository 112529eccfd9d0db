import {
  createContext,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useSyncExternalStore,
  type ReactElement,
  type ReactNode,
} from 'react';
import type { Session } from '../auth/auth.ts';
import type { Action } from '../cta/cta.ts';
import type { Trivet } from '../trivet/trivet.ts';
import { sharedOf, type Shared } from './shared.ts';

const Context = /* @__PURE__ */ createContext<Shared | null>(null);

const nothing = () => null;

/**
 * Gives the hooks below it the app's one client. It neither launches nor disposes of it: the app does, where it makes it.
 * @example <TrivetProvider trivet={trivet}><App /></TrivetProvider>
 */
export function TrivetProvider({
  trivet,
  children,
}: {
  readonly trivet: Trivet;
  readonly children?: ReactNode;
}): ReactElement {
  const shared = useMemo(() => sharedOf(trivet), [trivet]);
  // Keeps an action that comes before a component asks for it.
  useEffect(() => shared.subscribe(nothing), [shared]);
  return <Context.Provider value={shared}>{children}</Context.Provider>;
}

function useShared(): Shared {
  const shared = useContext(Context);
  if (!shared)
    throw new Error('trivet-sdk/react: put <TrivetProvider trivet={trivet}> above this component.');
  return shared;
}

/** The session, or null. On a server always null. */
export function useSession(): Session | null {
  const { subscribe, session } = useShared();
  return useSyncExternalStore(subscribe, session, nothing);
}

/**
 * The latest action of a CTA until somebody dismisses it. All components below a provider see the same one.
 * @param listener is called for each action.
 */
export function useAction(listener?: (action: Action) => void): {
  readonly action: Action | null;
  readonly dismiss: () => void;
} {
  const { subscribe, action, dismiss, listen } = useShared();
  const latest = useRef(listener);
  useEffect(() => {
    latest.current = listener;
  });
  const isHeard = listener !== undefined;
  useEffect(
    () => (isHeard ? listen((heard) => latest.current && latest.current(heard)) : undefined),
    [listen, isHeard],
  );
  return { action: useSyncExternalStore(subscribe, action, nothing), dismiss };
}

/** `trivet.cta.track`, the same function at every render. */
export const useTrack = (): Trivet['cta']['track'] => useShared().track;
