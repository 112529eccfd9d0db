import { storableText } from '../text/case-text.ts';
import type { ReportedAttempt, ReportedCase } from './reported-case.ts';

/**
 * Cases that are kept until the whole file is read. As objects they would be scattered among the parser's garbage, and the garbage
 * collector keeps such memory: 580 MB for 200 MB of JUnit with 690,000 cases. So they are stored in compressed batches, and become objects,
 * which share equal values, only when they are taken.
 */
export class PackedCases {
  #count = 0;
  #batch: ReportedCase[] = [];
  readonly #packed: Uint8Array[] = [];

  get count(): number {
    return this.#count;
  }

  add(one: ReportedCase): void {
    this.#count++;
    this.#batch.push(one);
    if (this.#batch.length < batchSize) return;
    this.#packed.push(Bun.zstdCompressSync(storable(this.#batch), { level: 1 }));
    this.#batch = [];
  }

  /** The cases in batches, in their order. */
  *batches(): Generator<ReportedCase[]> {
    const shared = new SharedValues();
    for (const batch of this.#packed) yield unpacked(decoder.decode(Bun.zstdDecompressSync(batch)), shared);
    // Packed as well: a substring of a chunk keeps the whole chunk alive.
    if (this.#batch.length > 0) yield unpacked(storable(this.#batch), shared);
  }
}

const batchSize = 500;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

type Rest = Omit<ReportedCase, 'suites' | 'name' | 'status' | 'attempts' | 'file'>;
type PackedCase = readonly [
  suites: number,
  name: string,
  status: ReportedCase['status'],
  attempts: number | readonly ReportedAttempt[],
  file: number | null,
  rest: Rest | 0,
];

/** A batch, in which a value shared by several cases occurs once. */
interface Batch {
  readonly suites: ReadonlyArray<readonly string[]>;
  readonly files: readonly string[];
  readonly attempts: ReadonlyArray<readonly ReportedAttempt[]>;
  readonly cases: readonly PackedCase[];
}

/** JSON writes these characters so, and hardly anything else: the texts of a batch are looked at one by one only where it does. */
const notStorable = /\\u(?:0000|d[89a-f])/;

/** A batch whose texts can be stored. Here, because whatever reads a format may find or cut such a text. */
function storable(batch: readonly ReportedCase[]): string {
  const text = packed(batch);
  return notStorable.test(text) ? packed(batch.map((one) => storableValue(one) as ReportedCase)) : text;
}

function storableValue(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(storableValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [storableText(key), storableValue(one)] as const),
  );
}

function packed(batch: readonly ReportedCase[]): string {
  const suites = new Numbered<readonly string[]>();
  const files = new Numbered<string>();
  const plain = new Numbered<readonly ReportedAttempt[]>();
  const cases = batch.map((one): PackedCase => {
    const { suites: path, name, status, attempts, file, ...rest } = one;
    const key = plainKey(attempts);
    return [
      suites.of(path.join('\0'), path),
      name,
      status,
      key === undefined ? attempts : plain.of(key, attempts),
      file === undefined ? null : files.of(file, file),
      Object.keys(rest).length === 0 ? 0 : rest,
    ];
  });
  const whole: Batch = { suites: suites.values, files: files.values, attempts: plain.values, cases };
  return JSON.stringify(whole);
}

function unpacked(text: string, shared: SharedValues): ReportedCase[] {
  // The text that `packed` wrote.
  const batch = JSON.parse(text) as Batch;
  const suites = batch.suites.map((path) => remembered(shared.suites, path.join('\0'), path));
  const files = batch.files.map((file) => remembered(shared.files, file, file));
  const plain = batch.attempts.map((attempts) =>
    remembered(shared.attempts, plainKey(attempts) ?? '', attempts),
  );
  return batch.cases.map(([path, name, status, attempts, file, rest]) => ({
    suites: suites[path] ?? [],
    name,
    status,
    attempts: (typeof attempts === 'number' ? plain[attempts] : attempts) ?? [],
    ...(file !== null && { file: files[file] ?? '' }),
    ...(rest !== 0 && rest),
  }));
}

/** The key of a single attempt that consists only of its status and time; most do, and those with the same time are equal. */
function plainKey([only, ...more]: readonly ReportedAttempt[]): string | undefined {
  if (!only || more.length > 0 || only.message !== undefined || only.startedAt !== undefined)
    return undefined;
  return `${only.status}${only.durationMs}`;
}

/** Values numbered in the order of their first occurrence. */
class Numbered<T> {
  readonly values: T[] = [];
  readonly #numbers = new Map<string, number>();

  of(key: string, value: T): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.values.length);
    return this.values.push(value) - 1;
  }
}

/** Values shared by the cases of all batches. */
class SharedValues {
  readonly suites = new Map<string, readonly string[]>();
  readonly files = new Map<string, string>();
  readonly attempts = new Map<string, readonly ReportedAttempt[]>();
}

/** Values remembered of each kind. */
const sharedLimit = 10_000;

function remembered<T>(known: Map<string, T>, key: string, value: T): T {
  const found = known.get(key);
  if (found !== undefined) return found;
  if (known.size >= sharedLimit) known.clear();
  known.set(key, value);
  return value;
}
