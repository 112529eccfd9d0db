import type { KeyObject } from 'node:crypto';
import { nodeCrypto } from '../../../core/base/late-node.ts';

/** What is signed of a batch. The chain of `previous`, and `after`, show that none is missing. */
interface BatchHeader {
  readonly format: 'trivet-audit/1';
  /** The thumbprint of the key that signs it. */
  readonly kid: string;
  /** 1 for the first batch of a target. */
  readonly sequence: number;
  /** SHA-256 of the header before, as JSON; null for the first one. */
  readonly previous: string | null;
  /** The last entry of the batch before; 0 for the first one. */
  readonly after: number;
  readonly firstId: number;
  readonly lastId: number;
  readonly count: number;
  /** SHA-256 of the entries as JSON, each with a line feed. */
  readonly digest: string;
  /** When it was made, ISO 8601. */
  readonly at: string;
}

/** An audit entry as `list-audit` returns it. */
type ExportedEntry = Readonly<Record<string, unknown>> & { readonly eventId: number };

export interface Batch {
  readonly header: BatchHeader;
  /** Ed25519 over the header as JSON, in base64url. */
  readonly signature: string;
  readonly entries: readonly ExportedEntry[];
}

const sha256 = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex');

const digestOf = (entries: readonly unknown[]): string =>
  sha256(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));

/** What the next batch names as `previous`. */
export const headerHash = (header: BatchHeader): string => sha256(JSON.stringify(header));

/** Signs a batch of at least one entry. */
export function signBatch(
  header: Omit<BatchHeader, 'format' | 'firstId' | 'lastId' | 'count' | 'digest'>,
  entries: readonly ExportedEntry[],
  privateKey: KeyObject,
): Batch {
  const { kid, sequence, previous, after, at } = header;
  const whole: BatchHeader = {
    format: 'trivet-audit/1',
    kid,
    sequence,
    previous,
    after,
    firstId: entries[0]?.eventId ?? 0,
    lastId: entries.at(-1)?.eventId ?? 0,
    count: entries.length,
    digest: digestOf(entries),
    at,
  };
  const signature = nodeCrypto()
    .sign(null, Buffer.from(JSON.stringify(whole)), privateKey)
    .toString('base64url');
  return { header: whole, signature, entries };
}

/** What is wrong with exported batches. Stable: scripts depend on it. */
type BatchProblem = 'unknown_key' | 'signature' | 'entries_changed' | 'gap' | 'forked' | 'not_a_batch';

interface FoundProblem {
  readonly line: number;
  readonly problem: BatchProblem;
  readonly sequence: number | null;
}

/** The result of reading batches in their order. */
interface Verified {
  readonly batches: number;
  readonly entries: number;
  readonly firstSequence: number | null;
  readonly lastSequence: number | null;
  readonly firstId: number | null;
  readonly lastId: number | null;
  /** Batches that came again, as at-least-once delivery allows. */
  readonly repeated: number;
  readonly problems: readonly FoundProblem[];
  /** The last line is a part of a batch: it is being written, or the file was cut off. */
  readonly endsTorn: boolean;
}

/**
 * Verifies lines of an exported file one after the other. A repeated batch is no problem; a missing, changed, reordered or foreign one is.
 * A line that was torn by a crash is none of its own: the batch is there once more, or missing.
 * @param keys the public keys by their thumbprints.
 */
export function batchVerifier(keys: ReadonlyMap<string, KeyObject>) {
  const problems: FoundProblem[] = [];
  const seen = new Map<number, string>();
  let [batches, entries, repeated, line] = [0, 0, 0, 0];
  let first: BatchHeader | null = null;
  let last: BatchHeader | null = null;
  let endsTorn = false;

  const found = (problem: BatchProblem, sequence: number | null) =>
    void problems.push({ line, problem, sequence });

  const follow = (header: BatchHeader) => {
    const hash = headerHash(header);
    const known = seen.get(header.sequence);
    if (known !== undefined) {
      if (known === hash) repeated++;
      else found('forked', header.sequence);
      return false;
    }
    const before = last;
    if (before !== null) {
      const next = header.sequence === before.sequence + 1 && header.after === before.lastId;
      if (!next || header.previous !== headerHash(before)) found('gap', header.sequence);
    }
    seen.set(header.sequence, hash);
    first ??= header;
    last = header;
    return true;
  };

  return {
    read: (text: string): void => {
      line++;
      if (text.trim() === '') return;
      const batch = batchOf(text);
      endsTorn = batch === null;
      // Torn by a crash: what was in it comes again, or the next line shows the gap.
      if (batch === null) return;
      if (batch === 'other') return found('not_a_batch', null);
      const { header, signature } = batch;
      const key = keys.get(header.kid);
      if (!key) return found('unknown_key', header.sequence);
      const signed = Buffer.from(JSON.stringify(header));
      if (!nodeCrypto().verify(null, signed, key, Buffer.from(signature, 'base64url')))
        return found('signature', header.sequence);
      if (digestOf(batch.entries) !== header.digest || batch.entries.length !== header.count)
        return found('entries_changed', header.sequence);
      if (!follow(header)) return;
      batches++;
      entries += header.count;
    },
    result: (): Verified => ({
      batches,
      entries,
      firstSequence: first?.sequence ?? null,
      lastSequence: last?.sequence ?? null,
      firstId: first?.firstId ?? null,
      lastId: last?.lastId ?? null,
      repeated,
      problems,
      endsTorn,
    }),
  };
}

/** The batch of a line; null for JSON that a crash has torn; `other` for something else. */
function batchOf(text: string): Batch | 'other' | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const { header, signature, entries } = (value ?? {}) as Partial<Batch>;
  const isBatch =
    typeof header === 'object' &&
    header?.format === 'trivet-audit/1' &&
    typeof header.kid === 'string' &&
    Number.isSafeInteger(header.sequence) &&
    typeof signature === 'string' &&
    Array.isArray(entries);
  return isBatch ? { header, signature, entries } : 'other';
}
