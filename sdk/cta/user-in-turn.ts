import type { Environment } from '../base/environment.ts';
import { whenReady, type Ready } from '../base/ready.ts';
import type { Action } from './action.ts';
import { userCtas, type UserCtas } from './user-ctas.ts';

/** The signed-in user, whose calls to action are shown unless `setUser` names somebody. */
export interface Following {
  /** Null until {@link Following.open} is done. */
  userId(): string | null;
  /** Reads the storage, once. */
  open(): Ready<unknown>;
  /** How the requests of a user are sent. */
  fetching(userId: string): Environment['fetch'] | undefined;
  onChange(listener: () => unknown): () => void;
}

/** The app was out of sight for so long (milliseconds) that coming back is a new launch. */
const away = 15 * 60_000;

/** The calls to action are another user's from now on. */
export interface UserChange {
  /** Null: nobody's. */
  readonly userId: string | null;
  readonly before: string | null;
}

/** Whether a text is a whole number of 64 bits. By its digits: a number of JavaScript is exact to 53, and Hermes may lack BigInt. */
const isWhole = (text: string): boolean =>
  /^-?\d{1,19}$/.test(text) &&
  text.replace('-', '').padStart(19, '0') <=
    (text[0] === '-' ? '9223372036854775808' : '9223372036854775807');

/** Whose calls to action are shown now: nobody's once it is disposed of, also if the storage answers later. */
export function userInTurn(
  environment: Environment,
  show: (action: Action) => void,
  tell: (change: UserChange) => void,
  following?: Following,
) {
  /** Undefined: the signed-in user. */
  let chosen: string | null | undefined;
  let shown: { readonly userId: string; readonly ctas: UserCtas } | null = null;
  let isWanted = false;
  let hiddenAt: number | undefined;
  let release: ReadonlyArray<() => void> | undefined;

  const userId = (): string | null => (chosen === undefined ? (following?.userId() ?? null) : chosen);
  const fetchingOf = (id: string | null) =>
    (id === null ? undefined : following?.fetching(id)) ?? environment.fetch;

  function now(): UserCtas | undefined {
    release ??= [
      environment.lifecycle(seen),
      following?.onChange(() => chosen === undefined && follow()) ?? (() => {}),
    ];
    const id = userId();
    const before = shown?.userId ?? null;
    if (before !== id) {
      // What the one before has not sent stays stored under their id.
      shown?.ctas.close(true);
      const fetch: Environment['fetch'] = (...args) => fetchingOf(id)(...args);
      shown = id === null ? null : { userId: id, ctas: userCtas(environment, id, fetch, show) };
      tell({ userId: id, before });
    }
    return shown?.ctas;
  }
  async function launch(): Promise<void> {
    isWanted = true;
    if (!now()) await following?.open();
    await now()?.launch();
  }
  /** For the user, or for the one whom a storage that answers late, as AsyncStorage, names. */
  function use<T>(work: (ctas: UserCtas) => T, isLate?: true): T | void {
    const ctas = now();
    if (ctas) return work(ctas);
    if (!isLate) void whenReady(following?.open(), () => chosen === undefined && use(work, true));
  }
  /** After a change of user the next one is launched as the app wanted it. */
  function follow(): void {
    const before = shown?.ctas;
    if (shown?.userId !== userId()) void before?.flush();
    if (now() !== before && isWanted) void launch();
  }
  function seen(visible: boolean): void {
    if (!visible) {
      hiddenAt ??= environment.now();
      return shown?.ctas.flushAtEnd();
    }
    const isLong = hiddenAt !== undefined && environment.now() - hiddenAt >= away;
    hiddenAt = undefined;
    void (isLong && isWanted ? launch() : shown?.ctas.flush());
  }

  return {
    now,
    use,
    launch,
    fetching: () => fetchingOf(userId()),
    choose(given: string | number | null): void {
      const text = given === null ? null : String(given);
      if (text !== null && !isWhole(text))
        return environment.report('INVALID_USER', 'A user is a whole number of 64 bits.');
      chosen = text;
      follow();
    },
    dispose(): void {
      shown?.ctas.close();
      for (const remove of release ?? []) remove();
      release = [];
      shown = chosen = null;
    },
  };
}
