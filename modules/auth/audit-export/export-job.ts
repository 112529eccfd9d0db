import { calculateJwkThumbprint, type JWK } from 'jose';
import { isOver, isoTime } from '../../../core/base/clock.ts';
import { nodeCrypto } from '../../../core/base/late-node.ts';
import { isSettled, writeMark } from '../../../core/db/query/settled-writes.ts';
import { perHost, type Host } from '../../../core/host/host.ts';
import { auditRecordOf } from '../audit/audit-record.ts';
import { authMetrics } from '../base/metrics.ts';
import { authSettings } from '../base/settings.ts';
import { unwrap, wrap } from '../keys/wrapped-key.ts';
import { headerHash, signBatch, type Batch } from './export-batch.ts';
import {
  changeExport,
  entriesAfter,
  exportRow,
  freeExport,
  newestEntry,
  takeExport,
  type ExportRow,
} from '../audit/audit-export-store.ts';
import { exportTargetOf, type ExportTarget } from './export-target.ts';

/** How often a server looks for new entries. */
export const exportEveryMs = 1_000;

/** Another process takes over when one has not been heard for as long: longer than a receiver may take. */
const leaseMs = 20_000;

/** A lease that ends later than the clocks of two servers may differ is of a clock that has been set back since. */
const longestLeaseMs = leaseMs + 60_000;

/** The maximum entries of one batch, about 200 KB. */
const batchEntries = 500;

/** The maximum batches of one run: other work of this process comes in between. */
const batchesAtOnce = 20;

const longestPauseMs = 5 * 60_000;

interface State {
  readonly process: string;
  /** Whether it has taken the export before. */
  holds: boolean;
  /** The last entry that may be exported, once what was written before it has ended. */
  seen: { readonly last: number; readonly mark: string | null | undefined } | undefined;
  settled: number;
  failures: number;
  againAt: number;
  pending: number;
  /** Whether the last attempt failed, of whichever process. */
  isFailing: boolean;
}

const stateOf = perHost((host): State => {
  const state = {
    process: Buffer.from(host.random(9)).toString('base64url'),
    holds: false,
    seen: undefined,
    settled: 0,
    failures: 0,
    againAt: -Infinity,
    pending: 0,
    isFailing: false,
  };
  return state;
});

/** The target of `--audit-export`; undefined: there is none. @throws UsageError. */
export function configuredTarget(
  host: Host,
): { readonly text: string; readonly target: ExportTarget } | undefined {
  const text = host.config.read(authSettings)['audit-export'];
  return text === undefined ? undefined : { text, target: exportTargetOf(text) };
}

/** The pause after a failed attempt: a second, then twice as long each time, at most five minutes, with jitter. */
export const retryPauseMs = (failures: number, chance: number): number => {
  const full = Math.min(longestPauseMs, 1_000 * 2 ** (failures - 1));
  return Math.round(full / 2 + (full / 2) * chance);
};

/**
 * Sends new entries of the audit log to the target, in their order, each at least once. One process does it at a time; another takes over
 * 20 s after it was last heard. Whatever the receiver does, nothing else waits for it.
 */
export async function exportAudit(host: Host, signal: AbortSignal): Promise<void> {
  const configured = configuredTarget(host);
  const state = stateOf(host);
  const now = host.clock.now();
  if (!configured) return;
  const known = await exportRow(host.db.q, configured.text);
  // Also while this process pauses: another one may have taken over, and may have succeeded.
  state.isFailing = known?.failingSince != null;
  if (known?.leaseBy !== state.process) state.pending = 0;
  if (!isOver(now, state.againAt, longestPauseMs)) return;
  await settle(host, state);
  const row = await ownedRow(host, configured.text, known, state);
  if (!row) {
    state.pending = 0;
    return;
  }
  state.pending = Math.max(0, (state.seen?.last ?? state.settled) - row.cursor);
  try {
    await sendBatches(host, { target: configured.target, state, signal }, row);
    state.failures = 0;
    state.isFailing = false;
  } catch (error) {
    if (signal.aborted) return;
    await noteFailure(host, state, row, error instanceof Error ? error.message : 'unknown');
  }
}

/** The row of the target while this process exports, and has something to. A server without news writes nothing. */
async function ownedRow(
  host: Host,
  target: string,
  known: ExportRow | undefined,
  state: State,
): Promise<ExportRow | undefined> {
  const now = host.clock.now();
  if (known && known.cursor >= state.settled) return undefined;
  const isMine = known?.leaseBy === state.process;
  if (known && isMine && known.leaseUntil > now + leaseMs / 2) return known;
  if (known && !isMine && !isOver(now, known.leaseUntil, longestLeaseMs)) return undefined;
  state.holds = true;
  const lease = { by: state.process, now, until: now + leaseMs, latest: now + longestLeaseMs };
  return host.db.write((q) => takeExport(q, target, lease));
}

/**
 * Moves the last entry that may be exported on: on PostgreSQL ids become visible in another order than their own. The mark is set one run after
 * the entry was seen, because a statement takes its id shortly before its transaction is numbered.
 */
async function settle(host: Host, state: State): Promise<void> {
  const { seen } = state;
  if (seen?.mark === undefined) {
    if (seen) state.seen = { ...seen, mark: await writeMark(host.db) };
  } else if (await isSettled(host.db, seen.mark)) {
    state.settled = seen.last;
    state.seen = undefined;
  }
  if (state.seen) return;
  const last = await newestEntry(host.db.q);
  if (last <= state.settled) return;
  if (host.db.engine === 'sqlite') state.settled = last;
  else state.seen = { last, mark: undefined };
}

async function sendBatches(
  host: Host,
  given: { readonly target: ExportTarget; readonly state: State; readonly signal: AbortSignal },
  first: ExportRow,
): Promise<void> {
  let row: ExportRow | null = first;
  for (let sent = 0; row && sent < batchesAtOnce && !given.signal.aborted; sent++)
    row = await sendNext(host, given, row);
}

/** Sends the next batch. @returns the row after it; null when there is none, or another process has taken over. */
async function sendNext(
  host: Host,
  {
    target,
    state,
    signal,
  }: { readonly target: ExportTarget; readonly state: State; readonly signal: AbortSignal },
  before: ExportRow,
): Promise<ExportRow | null> {
  const rows = await entriesAfter(host.db.q, before.cursor, before.pendingTo ?? state.settled, batchEntries);
  const last = rows.at(-1);
  if (!last) return null;
  const { kid, key, ...keys } = await keyOf(host, before);
  // The bounds are stored before the batch is sent: what is sent again is the same batch.
  const noted = { pendingTo: last.id, ...keys };
  if (!(await host.db.write((q) => changeExport(q, before, noted)))) return null;
  const row = { ...before, ...noted };
  const { previous, cursor: after } = row;
  const header = { kid, sequence: row.sequence + 1, previous, after, at: isoTime(last.at) };
  const batch = signBatch(header, rows.map(auditRecordOf), key);
  const { sendBatch } = await import('./export-sender.ts');
  await sendBatch(target, batch, { now: host.clock.now(), key, signal });
  const next = await noteSent(host, row, batch);
  if (!next) return null;
  host.metrics.count(authMetrics.auditExports, ['ok']);
  state.pending = Math.max(0, state.pending - batch.header.count);
  return next;
}

/** @returns the row after the batch; null when another process has taken over. */
async function noteSent(host: Host, row: ExportRow, { header }: Batch): Promise<ExportRow | null> {
  const now = host.clock.now();
  const change = {
    cursor: header.lastId,
    sequence: header.sequence,
    previous: headerHash(header),
    pendingTo: null,
    leaseUntil: now + leaseMs,
    exportedAt: now,
    failingSince: null,
    failure: null,
  };
  if (!(await host.db.write((q) => changeExport(q, row, change)))) return null;
  if (row.failingSince !== null) host.log.info('audit_export_works_again', { entries: header.count });
  return { ...row, ...change };
}

async function noteFailure(host: Host, state: State, row: ExportRow, failure: string): Promise<void> {
  const now = host.clock.now();
  state.failures++;
  state.isFailing = true;
  state.againAt = now + retryPauseMs(state.failures, (host.random(1)[0] ?? 0) / 255);
  host.metrics.count(authMetrics.auditExports, ['failed']);
  if (state.failures === 1 || row.failingSince === null)
    host.log.error('audit_export_failed', { cause: failure, remedy: 'It is tried again; no entry is lost.' });
  const change = { failingSince: row.failingSince ?? now, failure: failure.slice(0, 200) };
  await host.db.write((q) => changeExport(q, row, change));
}

/** The key that signs; made at the first batch, and again after the master key was lost. */
async function keyOf(host: Host, { publicJwks, privateWrapped }: ExportRow) {
  const kid = publicJwks.at(-1)?.['kid'];
  if (privateWrapped !== null && typeof kid === 'string') {
    const jwk = JSON.parse(unwrap(host, kid, privateWrapped)) as never;
    return {
      publicJwks,
      privateWrapped,
      kid,
      key: nodeCrypto().createPrivateKey({ key: jwk, format: 'jwk' }),
    };
  }
  const { publicKey, privateKey } = nodeCrypto().generateKeyPairSync('ed25519');
  const publicJwk = publicKey.export({ format: 'jwk' });
  const made = await calculateJwkThumbprint(publicJwk as JWK);
  return {
    publicJwks: [...publicJwks, { ...publicJwk, kid: made, alg: 'EdDSA', use: 'sig' }],
    privateWrapped: wrap(host, made, JSON.stringify(privateKey.export({ format: 'jwk' }))),
    kid: made,
    key: privateKey,
  };
}

/**
 * Checks the target, and registers the gauges. @returns what lets another process export at once when this one stops.
 * @throws UsageError for a target that is none.
 */
export function startExport(host: Host): () => Promise<void> {
  const configured = configuredTarget(host);
  const state = stateOf(host);
  host.metrics.read(authMetrics.auditWaiting, () => [[[], state.pending]]);
  host.metrics.read(authMetrics.auditFailing, () => [[[], state.isFailing ? 1 : 0]]);
  return async () => {
    if (configured && state.holds) await host.db.write((q) => freeExport(q, configured.text, state.process));
  };
}
