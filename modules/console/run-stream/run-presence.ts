import { perHost, type Host } from '../../../core/host/host.ts';

/** A person who has a run open, and the test that is selected there. */
interface PersonInRun {
  readonly userId: number;
  readonly testId: number | null;
}

/** One open window of a run. */
interface RunWindow {
  readonly runId: number;
  /** Chosen by the browser; it says later which of its windows moved. */
  readonly window: string;
  readonly userId: number;
}

interface Place {
  readonly userId: number;
  testId: number | null;
  readonly tell: () => void;
}

/**
 * Who is where, by run and window. In memory: it ends with the stream of the window, and is worth nothing after a restart. Each process
 * knows the windows that are connected to it.
 */
const placesOf = perHost(() => new Map<number, Map<string, Place>>());

const tellAll = (places: ReadonlyMap<string, Place> | undefined) => {
  for (const { tell } of places?.values() ?? []) tell();
};

/** A window shows a run. @param tell is called when anybody comes, moves or leaves. @returns a function for when the window leaves. */
export function enterRun(host: Host, { runId, window, userId }: RunWindow, tell: () => void): () => void {
  const all = placesOf(host);
  const places = all.get(runId) ?? new Map<string, Place>();
  all.set(runId, places);
  const place: Place = { userId, testId: null, tell };
  places.set(window, place);
  tellAll(places);
  return () => {
    // After an interruption the window has come back before its old stream ended.
    if (places.get(window) !== place) return;
    places.delete(window);
    if (places.size === 0) all.delete(runId);
    tellAll(places);
  };
}

/** The selected test of a window changed. @returns whether the person has this window open. */
export function moveInRun(host: Host, { runId, window, userId }: RunWindow, testId: number | null): boolean {
  const places = placesOf(host).get(runId);
  const place = places?.get(window);
  if (place?.userId !== userId) return false;
  if (place.testId !== testId) {
    place.testId = testId;
    tellAll(places);
  }
  return true;
}

/** Who has the run open and where, each place once, ordered by person. */
export function peopleIn(host: Host, runId: number): readonly PersonInRun[] {
  const places = [...(placesOf(host).get(runId)?.values() ?? [])];
  const distinct = new Map(places.map(({ userId, testId }) => [`${userId} ${testId}`, { userId, testId }]));
  return [...distinct.values()].toSorted((a, b) => a.userId - b.userId || (a.testId ?? 0) - (b.testId ?? 0));
}
