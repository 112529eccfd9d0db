import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { TrivetProvider, useAction, useSession, useTrack } from '../../sdk/react/react.tsx';
import type { Action, Session, Trivet } from '../../sdk/trivet/trivet.ts';

/* The page of test/console/sdk-react.test.ts: an app under StrictMode, with a client that counts who listens. */
type Listener = (value: never) => void;
const listeners = { change: new Set<Listener>(), action: new Set<Listener>(), user: new Set<Listener>() };
const counts = { launches: 0, listened: 0, heard: [] as string[], tracks: new Set<unknown>(), renders: 0 };
let session: Session | null = null;

const on = (event: keyof typeof listeners, listener: Listener) => {
  counts.listened++;
  listeners[event].add(listener);
  return () => void listeners[event].delete(listener);
};
const trivet = {
  // A new object each time, as a client may do.
  auth: { session: () => session && { ...session }, on },
  cta: {
    on,
    launch: () => {
      counts.launches++;
      return Promise.resolve();
    },
    track: (name: string) => [{ kind: 'started', ctaId: '1', groupKey: name, state: '0' }],
  },
  dispose: () => {},
} as unknown as Trivet;

function Popup({ name, isListening }: { readonly name: string; readonly isListening: boolean }) {
  const heard = (action: Action) => counts.heard.push(`${name} ${action.actionId}`);
  const { action, dismiss } = useAction(isListening ? heard : undefined);
  return (
    <button id={name} onClick={dismiss}>
      {action ? action.actionId : 'nothing'}
    </button>
  );
}

function Person() {
  counts.renders++;
  counts.tracks.add(useTrack());
  return <p id="person">{useSession()?.userId ?? 'nobody'}</p>;
}

function App() {
  const [isShown, setShown] = useState(true);
  const [isListening, setListening] = useState(true);
  return (
    <TrivetProvider trivet={trivet}>
      <Person />
      <Popup name="first" isListening={isListening} />
      {isShown && <Popup name="second" isListening={false} />}
      <button id="toggle" onClick={() => setShown(!isShown)} />
      <button id="mute" onClick={() => setListening(!isListening)} />
    </TrivetProvider>
  );
}

const root = createRoot(document.body.appendChild(document.createElement('main')));
const emit = (event: keyof typeof listeners, value: unknown) =>
  [...listeners[event]].forEach((listener) => listener(value as never));

Object.assign(globalThis, {
  start: () =>
    root.render(
      <StrictMode>
        <App />
      </StrictMode>,
    ),
  stop: () => root.unmount(),
  signIn: (userId: string | null) => {
    const before = session?.userId ?? null;
    session = userId === null ? null : { userId, expiresAt: 1 };
    emit('change', session);
    if (userId !== before) emit('user', { userId, before });
  },
  act: (actionId: string) => emit('action', { ctaId: '1', groupKey: '1', actionId, type: 'POPUP' }),
  counted: () => ({
    launches: counts.launches,
    heard: counts.heard.splice(0),
    tracks: counts.tracks.size,
    renders: counts.renders,
    change: listeners.change.size,
    action: listeners.action.size,
    user: listeners.user.size,
  }),
});
