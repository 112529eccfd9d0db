import type { Environment } from '../base/environment.ts';
import { whenReady } from '../base/ready.ts';

/** What a person did with a call to action, or a goal that they reached: `custom` with a `name`. */
export interface Measure {
  readonly type: 'impression' | 'click' | 'dismiss' | 'conversion' | 'custom';
  /** Absent: a goal that names no CTA counts for each. */
  readonly ctaId?: string | undefined;
  /** The arm of the user in an experiment of the CTA. */
  readonly variant?: string | undefined;
  readonly groupKey?: string | undefined;
  readonly actionId?: string | undefined;
  /** What was pressed. */
  readonly element?: string | undefined;
  readonly name?: string | undefined;
  readonly value?: number | undefined;
}

export type WaitingMeasure = Measure & { readonly id: string; readonly at: number };

/** The measures that the server does not have yet, in memory and in the storage. */
export interface WaitingMeasures {
  all(): readonly WaitingMeasure[];
  add(measure: Measure): void;
  /** Takes those of another user of this device; nothing stays stored under their id. */
  inherit(userId: string): void;
  /** Forgets what was sent. @param isOver only what is stored counts: the user that a guest became may have taken the others. */
  remove(sent: readonly WaitingMeasure[], isOver?: boolean): void;
  dropped(why: string): void;
}

/** The server takes 500 in a request; beyond that the oldest are dropped. */
const most = 500;

/** The server keeps 256 characters of a text; a half of one at the end would be none. */
const cut = (_: string, value: unknown): unknown =>
  typeof value === 'string' ? value.slice(0, 256).replace(/[\ud800-\udbff]$/, '') : value;

function read(text: string | null | undefined): readonly WaitingMeasure[] {
  try {
    const list = JSON.parse(text ?? '[]', cut) as unknown;
    return Array.isArray(list) ? (list as WaitingMeasure[]).filter(Boolean) : [];
  } catch {
    return [];
  }
}

/** @param found is called when some are there. */
export function waitingMeasures(
  environment: Environment,
  userId: string,
  found: () => void,
): WaitingMeasures {
  const { storage, tenantId, now, random, report } = environment;
  const keyOf = (id: string) => `trivet:${encodeURIComponent(tenantId)}:${id}:measures`;
  const key = keyOf(userId);
  let list: readonly WaitingMeasure[] = [];
  let count = 0;

  const dropped = (why: string) => report('MEASURES_DROPPED', `Measures were thrown away: ${why}`);
  /** Stores them, with what another tab left there. An id tells the server, and us, what is the same. */
  function remove(sent: readonly WaitingMeasure[], isOver = false): void {
    const over = new Set(sent.map(({ id }) => id));
    list = (isOver ? [] : list).filter(({ id }) => !over.has(id));
    void whenReady(storage.get(key), (text) => {
      const own = new Set(list.map(({ id }) => id));
      list = read(text)
        .filter(({ id }) => !own.has(id) && !over.has(id))
        .concat(list);
      if (list.length > most) dropped(`more than ${most} wait.`);
      list = list.slice(-most);
      if (list.length > 0) storage.set(key, JSON.stringify(list));
      else storage.remove(key);
    });
  }
  const load = (from: string) =>
    whenReady(storage.get(from), (text) => {
      list = read(text).concat(list);
      if (list.length > 0) found();
    });
  void load(key);

  return {
    all: () => list,
    add(measure) {
      const id = `${now().toString(36)}-${(count++).toString(36)}-${random().toString(36).slice(2, 12)}`;
      const made = Object.assign({}, measure, { id, at: Math.trunc(now()) });
      list = list.concat(read(JSON.stringify([made])));
      remove([]);
    },
    inherit: (from) =>
      void whenReady(load(keyOf(from)), () => {
        remove([]);
        storage.remove(keyOf(from));
      }),
    remove,
    dropped,
  };
}
