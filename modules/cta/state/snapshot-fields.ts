import type { DropReason } from './drop.ts';
import { acceptTime } from './future-times.ts';

/* The fields of a body, read by hand (snapshot.ts explains why). */

/** Records a problem. Reading continues with a placeholder value; the message names the first problem. */
export interface Report {
  (path: string, problem: string): void;
  /** The server's time, which replaces a client's time that is far ahead of it. */
  readonly now: number;
  /** Counts dropped values. */
  drop(reason: DropReason, count?: number): void;
}

export type Fields = Readonly<Record<string, unknown>>;

export function readObject(raw: unknown, path: string, report: Report): Record<string, unknown> {
  if (typeof raw === 'object' && raw !== null && !Array.isArray(raw)) return raw as Record<string, unknown>;
  report(path, raw === undefined ? 'is required' : 'must be an object');
  return {};
}

export function readOptionalObject(raw: unknown, path: string, report: Report): Fields | undefined {
  return raw === undefined || raw === null ? undefined : readObject(raw, path, report);
}

export function readList(raw: unknown, path: string, report: Report): readonly unknown[] | undefined {
  if (raw === undefined || raw === null) return undefined;
  if (Array.isArray(raw)) return raw;
  report(path, 'must be an array');
  return [];
}

export function readLong(raw: unknown, path: string, report: Report): number {
  if (Number.isSafeInteger(raw)) return (raw as number) + 0; // -0 becomes 0, which is how JSON writes it anyway
  report(path, raw === undefined ? 'is required' : 'must be a whole number of at most 2^53-1');
  return 0;
}

export const readTime = (raw: unknown, path: string, report: Report): number =>
  acceptTime(readLong(raw, path, report), report.now);

export const readTimes = (raw: unknown, path: string, report: Report) =>
  readList(raw, path, report)?.map((value, index) => readTime(value, `${path}[${index}]`, report));

export function readText(raw: unknown, path: string, report: Report): string {
  if (typeof raw === 'string' && raw !== '') return raw;
  report(path, raw === undefined ? 'is required' : 'must be a non-empty string');
  return '';
}

export function readEnum<const W extends readonly string[]>(
  values: W,
  raw: unknown,
  path: string,
  report: Report,
): W[number] | undefined {
  if (raw === undefined || raw === null) return undefined;
  const found = values.find((value) => value === raw);
  if (found === undefined) report(path, `must be one of ${values.join(', ')}`);
  return found;
}

export function requireUnique<F extends string>(
  items: readonly Readonly<Record<F, string>>[],
  path: string,
  field: F,
  report: Report,
): void {
  const first = new Map<string, number>();
  for (const [index, { [field]: value }] of items.entries()) {
    const earlier = first.get(value);
    if (earlier !== undefined) {
      report(`${path}[${index}].${field}`, `is the same as that of ${path}[${earlier}]`);
    }
    first.set(value, index);
  }
}
