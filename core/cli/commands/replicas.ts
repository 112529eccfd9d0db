import { exit, UsageError } from '../../base/errors.ts';
import { objectOpener, ObjectFault } from '../../replicate/content-sealing.ts';
import { readLogName, readSnapshotName } from '../../replicate/replica-names.ts';
import { readReplicaObject, sha256 } from '../../replicate/replica-object.ts';
import type { Generation } from '../../replicate/replica-listing.ts';
import { readReplica, type Replica } from '../../replicate/replica-reading.ts';
import { timeText } from '../../replicate/replica-restoring.ts';
import { openTarget } from '../../replicate/target-opening.ts';
import { clientSettings, coreSettings } from '../../settings/settings.ts';
import { replicasSettings, restoreSettings } from '../invocation/command-settings.ts';
import { print, type Invocation } from '../invocation/invocation.ts';
import { progressLine } from '../invocation/progress-line.ts';
import { escapeControls } from '../invocation/terminal-text.ts';

/** A time within a generation that cannot be restored. */
interface Gap {
  readonly from: string;
  /** The first moment after it; null: there is none. */
  readonly to: string | null;
}

/**
 * `trivet replicas URL`: what a replica can restore. The exit code is 1 if its newest state cannot be restored, if it has gaps or, with
 * `--verify`, damaged objects.
 */
export async function runReplicas({ config }: Invocation): Promise<number> {
  const [url, ...more] = config.words;
  if (url === undefined || more.length > 0)
    throw new UsageError('Name one replica: trivet replicas file:///DIR or s3://BUCKET/PREFIX.', exit.usage);
  const replica = await readReplica(
    await openTarget(
      url,
      config.read({ 'replicate-keys': coreSettings['replicate-keys'] })['replicate-keys'],
    ),
  );
  const { verify } = config.read(replicasSettings);
  const { 'age-identity': identity } = config.read({ 'age-identity': restoreSettings['age-identity'] });
  const damaged = verify ? await damagedObjects(replica, identity) : [];
  const generations = replica.generations.map((generation) => ({
    generation: generation.id,
    first: timeOf(generation.stretches[0]?.first),
    last: timeOf(lastOf(generation)),
    snapshots: generation.stretches.length,
    objects: generation.objects,
    bytes: generation.bytes,
    gaps: gapsOf(generation),
  }));
  const isWhole =
    damaged.length === 0 &&
    (generations.at(-1)?.snapshots ?? 0) > 0 &&
    generations.every(({ gaps }) => gaps.length === 0);
  const { json } = config.read({ json: clientSettings.json });
  const verified = verify ? { verified: damaged.length === 0, damaged } : {};
  if (json) await print(`${JSON.stringify({ replica: replica.target.name, generations, ...verified })}\n`);
  else await print(escapeControls(textOf(replica.target.name, generations, verify, damaged)));
  return isWhole ? exit.ok : exit.failed;
}

const timeOf = (at: number | undefined) => (at === undefined ? null : timeText(at));
const lastOf = ({ stretches }: Generation) =>
  stretches.length === 0 ? undefined : Math.max(...stretches.map(({ last }) => last));

/** Where the chain of a generation is broken. */
function gapsOf({ stretches }: Generation): readonly Gap[] {
  return stretches.flatMap(({ broken, last }, index) => {
    const next = stretches.slice(index + 1).find(({ first }) => first > last);
    // A later snapshot within this stretch says the same again.
    const isSame = stretches[index + 1]?.last === last;
    return broken && !isSame ? [{ from: timeText(last), to: timeOf(next?.first) }] : [];
  });
}

interface Shown {
  readonly generation: string;
  readonly first: string | null;
  readonly last: string | null;
  readonly snapshots: number;
  readonly objects: number;
  readonly bytes: number;
  readonly gaps: readonly Gap[];
}

function textOf(
  name: string,
  generations: readonly Shown[],
  verify: boolean,
  damaged: readonly string[],
): string {
  if (generations.length === 0) return `${name} has no replica.\n`;
  const lines = generations.flatMap((one) => [
    one.first === null
      ? `${one.generation}  has no complete snapshot; ${one.objects} objects, ${one.bytes} bytes`
      : `${one.generation}  ${one.first} to ${one.last}, ${one.snapshots} snapshots, ${one.objects} objects, ${one.bytes} bytes`,
    ...one.gaps.map(({ from, to }) => `  gap from ${from} to ${to ?? 'its end'}: an object is missing`),
  ]);
  if (verify)
    lines.push(
      ...damaged.map((key) => `  damaged: ${key}`),
      damaged.length === 0 ? 'Every object was read and is whole.' : `${damaged.length} objects are damaged.`,
    );
  return `${lines.join('\n')}\n`;
}

/** The objects whose bytes are not what their names say, or whose content is not. */
async function damagedObjects(
  { target, listed }: Replica,
  identity: string | undefined,
): Promise<readonly string[]> {
  const open = objectOpener(identity, target.name);
  const progress = progressLine();
  const damaged: string[] = [];
  const named = listed.flatMap(({ key }) => readLogName(key) ?? readSnapshotName(key) ?? []);
  try {
    for (const [done, { key, digest }] of named.entries()) {
      progress.show(done, named.length, `of ${named.length} objects read`);
      try {
        const bytes = await target.get(key);
        if (!bytes) throw new ObjectFault('it is missing');
        const isReadable = identity !== undefined || readReplicaObject(bytes)?.face.encrypted === false;
        if (isReadable) await open(bytes, digest);
        else if (sha256(bytes) !== digest) throw new ObjectFault('it is not whole');
      } catch (error) {
        if (!(error instanceof ObjectFault)) throw error;
        damaged.push(`${key}: ${error.message}`);
      }
    }
  } finally {
    progress.end();
  }
  return damaged;
}
