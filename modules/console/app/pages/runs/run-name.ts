import { textHead } from '../../../../../core/text/text-head.ts';

const nameLimit = 255;

/** The name of a run that repeats another. @example nextRunName('1.4 (2)') // '1.4 (3)' */
export function nextRunName(name: string): string {
  const [, stem = name, count = '1'] = /^(.*?) \((\d{1,6})\)$/s.exec(name) ?? [];
  const end = ` (${Number(count) + 1})`;
  return `${textHead(stem, nameLimit - end.length)}${end}`;
}
