import {
  readHeadName,
  readLogName,
  readSnapshotName,
  generationOf,
  type LogName,
  type SnapshotName,
} from './replica-names.ts';

/** An object as a target lists it. */
export interface Listed {
  readonly key: string;
  readonly bytes: number;
}

/** How far a chain went when its server last looked: everything committed until then was in it. */
export interface Head {
  readonly sequence: number;
  readonly digest: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** A part of a chain that can be restored: from a complete snapshot, object after object, up to its end or to a gap. */
export interface Stretch {
  readonly generation: string;
  readonly snapshot: SnapshotName;
  /** The objects after the snapshot, in their order. The last one ends a transaction. */
  readonly logs: readonly LogName[];
  /** The state at every moment from here … */
  readonly first: number;
  /** … to here is known. */
  readonly last: number;
  /** Whether there is more after it which cannot be reached: an object is missing. */
  readonly broken: boolean;
}

export interface Generation {
  readonly id: string;
  readonly objects: number;
  readonly bytes: number;
  /** One for each complete snapshot, the oldest first. */
  readonly stretches: readonly Stretch[];
}

export const parseHead = (text: string): Head | undefined => {
  try {
    const { sequence, digest, at } = JSON.parse(text) as Partial<Head>;
    return typeof sequence === 'number' && typeof digest === 'string' && typeof at === 'number'
      ? { sequence, digest, at }
      : undefined;
  } catch {
    return undefined;
  }
};

/**
 * The generations of a replica, the oldest first. Objects with other names are ignored.
 * @param heads by generation.
 * @param begun the ids of generations that were begun, also of those that have no object.
 */
export function readGenerations(
  listed: readonly Listed[],
  heads: ReadonlyMap<string, Head>,
  begun: readonly string[] = [],
): readonly Generation[] {
  const byGeneration = Map.groupBy(listed, ({ key }) => generationOf(key));
  const ids = new Set([...byGeneration.keys(), ...begun].flatMap((id) => id ?? []));
  return [...ids]
    .map((id) => generationIn(id, byGeneration.get(id) ?? [], heads.get(id)))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

function generationIn(id: string, objects: readonly Listed[], head: Head | undefined): Generation {
  const logs = objects.flatMap(({ key }) => readLogName(key) ?? []);
  const follow = chainsOf(logs);
  const highest = Math.max(head?.sequence ?? 0, ...logs.map(({ sequence }) => sequence), 0);
  const stretches = objects
    .flatMap(({ key }) => readSnapshotName(key) ?? [])
    .filter(({ part }) => part === undefined)
    .toSorted((a, b) => a.sequence - b.sequence || a.at - b.at)
    .map((snapshot) => stretchOf(snapshot, follow(snapshot), head, highest));
  return {
    id,
    objects: objects.length,
    bytes: objects.reduce((sum, { bytes }) => sum + bytes, 0),
    stretches,
  };
}

function stretchOf(
  snapshot: SnapshotName,
  chain: readonly LogName[],
  head: Head | undefined,
  highest: number,
): Stretch {
  const ended = chain.findLastIndex(({ ends }) => ends) + 1;
  const logs = chain.slice(0, ended);
  const tip = chain.at(-1);
  const reached = tip?.sequence ?? snapshot.sequence;
  const last = logs.at(-1)?.at ?? snapshot.at;
  const broken = reached < highest;
  // The head speaks for this end only if nothing is missing before it.
  const isHeads = !broken && ended === chain.length && head !== undefined && head.sequence <= reached;
  return {
    generation: snapshot.generation,
    snapshot,
    logs,
    first: snapshot.at,
    last: isHeads ? Math.max(last, head.at) : last,
    broken,
  };
}

/**
 * Follows the digests. Where two objects follow the same one, because a process was killed between an upload and its note of it, the
 * longer chain is right, and of two equally long ones the later: the shorter one is a part of the same history.
 */
export function chainsOf(
  logs: readonly LogName[],
): (from: Pick<SnapshotName, 'sequence' | 'previous'>) => readonly LogName[] {
  const linkOf = (sequence: number, previous: string) => `${sequence}-${previous}`;
  const best = new Map<string, { readonly log: LogName; readonly end: number; readonly at: number }>();
  for (const log of logs.toSorted((a, b) => b.sequence - a.sequence)) {
    const next = best.get(linkOf(log.sequence + 1, log.digest.slice(0, 16)));
    const own = { log, end: next?.end ?? log.sequence, at: next?.at ?? log.at };
    const link = linkOf(log.sequence, log.previous);
    const other = best.get(link);
    if (!other || own.end > other.end || (own.end === other.end && own.at > other.at)) best.set(link, own);
  }
  return ({ sequence, previous }) => {
    const chain: LogName[] = [];
    for (
      let next = best.get(linkOf(sequence + 1, previous));
      next;
      next = best.get(linkOf(next.log.sequence + 1, next.log.digest.slice(0, 16)))
    )
      chain.push(next.log);
    return chain;
  };
}

/** The keys of heads among what was listed, by generation. */
export const headsIn = (listed: readonly Listed[]): ReadonlyMap<string, string> =>
  new Map(
    listed.flatMap(({ key }) => {
      const generation = readHeadName(key);
      return generation === undefined ? [] : [[generation, key] as const];
    }),
  );
