import { useSyncExternalStore } from 'react';
import { messageOf } from '../api/queries.ts';
import { Button, IconButton } from './button.tsx';
import { t } from '../texts/text.ts';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly kind: 'info' | 'error';
  /** One message of a topic replaces the one before. */
  readonly topic?: string;
  readonly action?: { readonly name: string; readonly run: () => void };
}

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

const dismiss = (id: number) => change(toasts.filter((toast) => toast.id !== id));

/** How long a message is shown. An error stays until it is closed. */
const shownMs = 6_000;
/** How much longer, each time that the pointer or the focus is in it then. */
const againMs = 2_000;

/** Closes a message after a while, but not while somebody is about to press its button. */
function dismissLater(id: number, afterMs: number): void {
  setTimeout(() => {
    const isUsed = document.querySelector(`[data-toast="${id}"]:is(:hover, :focus-within)`) !== null;
    if (isUsed) dismissLater(id, againMs);
    else dismiss(id);
  }, afterMs);
}

/** Shows a short message at the edge of the window, in place of the one before of the same topic. */
export function say(text: string, action?: Toast['action'], topic?: string): void {
  const id = ++lastId;
  const others = topic === undefined ? toasts : toasts.filter((toast) => toast.topic !== topic);
  const shown = { id, text, kind: 'info' as const, ...(action && { action }), ...(topic && { topic }) };
  change([...others.slice(-3), shown]);
  dismissLater(id, shownMs);
}

/** Shows an error until it is closed. */
export function sayError(error: unknown): void {
  change([...toasts.slice(-3), { id: ++lastId, text: messageOf(error), kind: 'error' }]);
}

/** The container of the messages. */
export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <section className="toasts" aria-label={t('Messages')} aria-live="polite">
      {shown.map(({ id, text, kind, action }) => (
        <div key={id} className={`toast ${kind}`} data-toast={id}>
          <span className="grow">{text}</span>
          {action && (
            <Button
              small
              onPress={() => {
                action.run();
                dismiss(id);
              }}
            >
              {action.name}
            </Button>
          )}
          <IconButton icon="close" label={t('Close message')} onPress={() => dismiss(id)} />
        </div>
      ))}
    </section>
  );
}
