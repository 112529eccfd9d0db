import { Type, type Static } from '@sinclair/typebox';
import { counted } from '../base/counted-noun.ts';
import { UsageError } from '../base/errors.ts';
import { check, closedObject } from '../base/schema.ts';

/** The first entry of an archive, or a file in a copy of a directory. */
export const manifestFile = 'trivet-backup.json';

const format = 1;

const BackupManifest = closedObject({
  /** The format version of this file. Later versions of Trivet may write a higher one. */
  format: Type.Literal(format),
  /** The version that made the backup. */
  trivet: Type.String(),
  /** ISO 8601, UTC. */
  createdAt: Type.String(),
  files: Type.Array(
    closedObject({
      name: Type.String({ pattern: '^[a-z0-9][a-z0-9._-]{0,63}$' }),
      bytes: Type.Integer({ minimum: 0 }),
      sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    }),
    { minItems: 1, maxItems: 16 },
  ),
  /** Files that were not next to the database, e.g. a master key that is kept elsewhere. */
  absent: Type.Array(Type.String(), { maxItems: 16 }),
  /** Rows of each table. */
  tables: Type.Record(Type.String(), Type.Integer({ minimum: 0 })),
});

/** What a backup contains, to be compared when it is restored. */
export type BackupManifest = Static<typeof BackupManifest>;
export type BackupFile = BackupManifest['files'][number];

export const manifestOf = (fields: Omit<BackupManifest, 'format'>): BackupManifest => ({ format, ...fields });

export const manifestText = (manifest: BackupManifest): string => `${JSON.stringify(manifest, null, 2)}\n`;

/**
 * Reads a manifest. Refuses file names with a path: a malicious archive could otherwise write outside its directory.
 * @throws UsageError.
 */
export function readManifest(text: string, where: string): BackupManifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UsageError(`${where} is damaged: its ${manifestFile} is no JSON.`);
  }
  const given = (value as { format?: unknown } | null)?.format;
  if (typeof given === 'number' && given > format)
    throw new UsageError(
      `${where} was made by a newer Trivet (format ${given}). Restore it with that version.`,
    );
  const checked = check(BackupManifest, value);
  if (!checked.ok) throw new UsageError(`${where} is damaged: its ${manifestFile} is not complete.`);
  return checked.value;
}

/** How the tables that were found differ from those of the manifest; undefined when they are equal. */
export function differenceOf(
  expected: BackupManifest['tables'],
  found: BackupManifest['tables'],
): string | undefined {
  const names = [...new Set([...Object.keys(expected), ...Object.keys(found)])].sort();
  const [first, ...more] = names.filter((name) => expected[name] !== found[name]);
  if (first === undefined) return undefined;
  const rows = (count: number | undefined) => (count === undefined ? 'no table' : counted(count, 'row'));
  const others = more.length > 0 ? ` (and ${more.length} more)` : '';
  return `${first}: ${rows(found[first])} instead of ${rows(expected[first])}${others}`;
}
