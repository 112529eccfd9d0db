/*
 * The names of a replica. Everything that a plan of a restore needs is in them, so that a listing is enough:
 *
 *   begun/<id>                                                       that a generation was begun: a short list for whoever owns the newest
 *   claims/<holder>                                                  that a data directory is written to, or is not any more
 *   generations/<id>/head                                            how far the chain went, when it was last looked at
 *   generations/<id>/log/<sequence>-<at>-<since>-<flag>-<previous>-<sha256>
 *   generations/<id>/snapshots/<sequence>-<at>-<previous>/whole-<sha256>, <part>-<sha256>
 */
const root = 'generations/';

/**
 * e.g. `20261124T201435123Z-0f3c2a11`: ids sort by their beginning.
 * @param after the newest id that is known: a clock that is behind must not make an older one.
 */
export const generationId = (now: number, random: Uint8Array, after?: string): string =>
  `${new Date(Math.max(now, beginningOf(after) + 1)).toISOString().replaceAll(/[-:.]/g, '').padStart(19, '0')}-${Buffer.from(random.subarray(0, 4)).toString('hex')}`;

/** When a generation began, by its id (epoch ms); -1 without one. */
function beginningOf(id: string | undefined): number {
  const [, year, month, day, hour, minute, second, ms] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z/.exec(id ?? '') ?? [];
  return year === undefined ? -1 : Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`);
}

const digits = (value: number, width: number) => String(value).padStart(width, '0');
const short = (digest: string) => digest.slice(0, 16);

/** What the name of an object of the chain says. */
export interface LogName {
  readonly key: string;
  readonly generation: string;
  readonly sequence: number;
  readonly at: number;
  readonly since: number;
  /** Whether a transaction ends with it. */
  readonly ends: boolean;
  /** The first 16 digits of the digest before it. */
  readonly previous: string;
  readonly digest: string;
}

/** What the name of an object of a snapshot says. */
export interface SnapshotName {
  readonly key: string;
  readonly generation: string;
  /** The object of the chain after which it was made, and its digest's first 16 digits. */
  readonly sequence: number;
  readonly previous: string;
  readonly at: number;
  /** The place of a part; undefined for the object that completes the snapshot. */
  readonly part: number | undefined;
  readonly digest: string;
}

export const begunFolder = 'begun/';

export const begunKey = (generation: string): string => `${begunFolder}${generation}`;

/** The generation of the key of a mark; undefined for what others put there, e.g. a file server its `Thumbs.db`. */
export const begunOf = (key: string): string | undefined =>
  /^begun\/([0-9TZ]{19}-[0-9a-f]{8})$/.exec(key)?.[1];

export const claimsFolder = 'claims/';

export const isClaimKey = (key: string): boolean => /^claims\/[0-9a-f]{16}$/.test(key);

export const claimKey = (holder: string): string => `${claimsFolder}${holder}`;

export const logFolder = (generation: string): string => `${root}${generation}/log/`;

/** A key that comes before those of a sequence number and after all earlier ones. */
export const beforeSequence = (generation: string, sequence: number): string =>
  `${logFolder(generation)}${digits(sequence, 10)}`;

export const headKey = (generation: string): string => `${root}${generation}/head`;

export const logKey = (name: Omit<LogName, 'key'>): string =>
  `${root}${name.generation}/log/${digits(name.sequence, 10)}-${digits(name.at, 13)}-${digits(name.since, 13)}-${name.ends ? 'e' : 'c'}-${short(name.previous)}-${name.digest}`;

export const snapshotFolder = (
  name: Pick<SnapshotName, 'generation' | 'sequence' | 'at' | 'previous'>,
): string =>
  `${root}${name.generation}/snapshots/${digits(name.sequence, 10)}-${digits(name.at, 13)}-${short(name.previous)}/`;

export const snapshotKey = (name: Omit<SnapshotName, 'key'>): string =>
  `${snapshotFolder(name)}${name.part === undefined ? 'whole' : digits(name.part, 6)}-${name.digest}`;

const logPattern =
  /^generations\/([0-9TZ]{19}-[0-9a-f]{8})\/log\/(\d{10})-(\d{13})-(\d{13})-([ec])-([0-9a-f]{16})-([0-9a-f]{64})$/;
const snapshotPattern =
  /^generations\/([0-9TZ]{19}-[0-9a-f]{8})\/snapshots\/(\d{10})-(\d{13})-([0-9a-f]{16})\/(whole|\d{6})-([0-9a-f]{64})$/;
const headPattern = /^generations\/([0-9TZ]{19}-[0-9a-f]{8})\/head$/;

export function readLogName(key: string): LogName | undefined {
  const [, generation, sequence, at, since, flag, previous, digest] = logPattern.exec(key) ?? [];
  if (generation === undefined || previous === undefined || digest === undefined) return undefined;
  return {
    key,
    generation,
    sequence: Number(sequence),
    at: Number(at),
    since: Number(since),
    ends: flag === 'e',
    previous,
    digest,
  };
}

export function readSnapshotName(key: string): SnapshotName | undefined {
  const [, generation, sequence, at, previous, part, digest] = snapshotPattern.exec(key) ?? [];
  if (generation === undefined || previous === undefined || digest === undefined) return undefined;
  return {
    key,
    generation,
    sequence: Number(sequence),
    at: Number(at),
    previous,
    part: part === 'whole' ? undefined : Number(part),
    digest,
  };
}

/** The generation of the key of a head. */
export const readHeadName = (key: string): string | undefined => headPattern.exec(key)?.[1];

/** The generation that a key belongs to, whatever it is. */
export const generationOf = (key: string): string | undefined =>
  /^generations\/([0-9TZ]{19}-[0-9a-f]{8})\//.exec(key)?.[1];
