import type { KeyObject } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { isoTime } from '../../../core/base/clock.ts';
import { UsageError } from '../../../core/base/errors.ts';
import { nodeCrypto } from '../../../core/base/late-node.ts';
import type { Host } from '../../../core/host/host.ts';
import type { CommandAnswer } from '../../../core/module/command.ts';
import { auditVerifySettings } from '../base/command-settings.ts';
import { batchVerifier } from './export-batch.ts';
import { configuredTarget } from './export-job.ts';
import { exportRow, newestEntry } from '../audit/audit-export-store.ts';

/** `trivet audit status`: how far the export is, and the keys with which its batches can be verified elsewhere. @throws UsageError. */
export async function showExport(host: Host): Promise<CommandAnswer> {
  const configured = configuredTarget(host);
  if (!configured)
    throw new UsageError('Nothing is exported: set --audit-export, or name the --config of the server.');
  const row = await exportRow(host.db.q, configured.text);
  const waiting = Math.max(0, (await newestEntry(host.db.q)) - (row?.cursor ?? 0));
  const data = {
    kind: configured.target.kind,
    sequence: row?.sequence ?? 0,
    lastId: row?.cursor ?? 0,
    waiting,
    exportedAt: isoTime(row?.exportedAt ?? null),
    failingSince: isoTime(row?.failingSince ?? null),
    failure: row?.failure ?? null,
    keys: row?.publicJwks ?? [],
  };
  const lines = [
    `${data.sequence} batches, up to entry ${data.lastId}; about ${waiting} entries wait`,
    ...(data.exportedAt === null ? [] : [`the last batch arrived at ${data.exportedAt}`]),
    ...(data.failingSince === null ? [] : [`failing since ${data.failingSince}: ${data.failure}`]),
    ...data.keys.map((key) => `key ${String(key['kid'])}`),
  ];
  return { data, text: lines.join('\n') };
}

/** `trivet audit verify`: whether exported files are whole and unchanged. @throws UsageError for files that cannot be read. */
export async function verifyExport(host: Host): Promise<CommandAnswer> {
  const { words } = host.config;
  if (words.length === 0) throw new UsageError('Name the exported files, the oldest first.');
  const keysFile = host.config.read(auditVerifySettings)['keys-file'];
  if (keysFile === undefined)
    throw new UsageError(
      '--keys-file is required: the output of "trivet audit status --json", kept elsewhere.',
    );
  const verifier = batchVerifier(keysOf(keysFile));
  for (const path of words) {
    try {
      const lines = createInterface({ input: createReadStream(path), crlfDelay: Infinity });
      for await (const line of lines) verifier.read(line);
    } catch {
      throw new UsageError(`${path} cannot be read.`);
    }
  }
  const data = verifier.result();
  const { batches, entries, firstSequence, lastSequence, firstId, lastId, repeated, problems, endsTorn } =
    data;
  const shown = problems
    .slice(0, 20)
    .map(
      ({ line, problem, sequence }) =>
        `  line ${line}: ${problem}${sequence === null ? '' : ` (batch ${sequence})`}`,
    );
  const text = [
    batches === 0
      ? 'No batch was found, so nothing is verified: are these the files of --audit-export?'
      : `${entries} entries (${firstId} to ${lastId}) in batches ${firstSequence} to ${lastSequence}, ${repeated} of them repeated.`,
    ...(problems.length > 0 ? [`${problems.length} problems:`] : batches > 0 ? ['Whole and unchanged.'] : []),
    ...shown,
    ...(problems.some(({ problem }) => problem === 'forked') ? [forkText] : []),
  ].join('\n');
  const failed = problems.length > 0 || batches === 0;
  const note =
    (firstSequence !== null && firstSequence > 1
      ? `What was before batch ${firstSequence} was not verified: name the files with it, too. `
      : '') +
    (endsTorn
      ? 'The last line is a part of a batch: it is being written, or the file was cut off. What is before it was verified. '
      : '') +
    'Compare the last batch with "trivet audit status": a file that was cut off at its end looks whole.';
  return { data, text, failed, ...(failed ? {} : { note }) };
}

const forkText =
  'forked: two different batches have one number. A restore of an older backup does that, too, because numbers after it are given again. If ' +
  'there was one, move the file away now, so that the server begins a new one, and verify each from its beginning: the old file up to ' +
  'the line before the first fork.';

/** The public keys of a file: a JSON Web Key Set, or the output of `trivet audit status --json`, which contains one. */
function keysOf(path: string): ReadonlyMap<string, KeyObject> {
  const bad = () => new UsageError(`--keys-file: ${path} contains no Ed25519 keys.`);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new UsageError(`--keys-file: ${path} cannot be read.`);
  }
  try {
    const { keys } = JSON.parse(text) as { keys: ReadonlyArray<Record<string, unknown>> };
    const found = keys.map((jwk) => {
      const key = nodeCrypto().createPublicKey({ key: jwk as never, format: 'jwk' });
      if (key.asymmetricKeyType !== 'ed25519') throw bad();
      return [String(jwk['kid']), key] as const;
    });
    if (found.length > 0) return new Map(found);
  } catch {
    throw bad();
  }
  throw bad();
}
