import { nameKey } from '../../../core/text/name-key.ts';

/* A section is a file: Checkout > Payment is Checkout/Payment.test.md, beside the folder Checkout/Payment with the sections below it. */

export const caseFileEnd = '.test.md';
/** The file of the tests in no section. */
const unsorted = '_unsorted';
/** What no file system of ours allows, what begins a hidden file, and the escape itself. */
const forbidden = /[%/\\:*?"<>|\p{Cc}]|^[.\s_]|[.\s]$/gu;

const isReserved = (name: string): boolean => /^(?:con|prn|aux|nul|com\d|lpt\d)$/i.test(name);
/** A folder that nobody reads, and one whose name another section has as its file. */
const isNoFolder = (name: string): boolean => /^node_modules$|\.test\.md$/i.test(name);

function encoded(name: string, isFolder: boolean): string {
  const text = name.replaceAll(forbidden, escaped);
  if (isReserved(name)) return escaped(text.slice(0, 1)) + text.slice(1);
  return isFolder && isNoFolder(name) ? text.slice(0, -1) + escaped(text.slice(-1)) : text;
}

const escaped = (character: string): string =>
  [...Buffer.from(character, 'utf8')]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');

/**
 * Bytes of a part of a path. File systems take 255, of which the end of the file and that of a temporary one need some. What is left of a
 * longer name is in the next part; a part that goes on ends with "%", and is longer than any that somebody would end like this.
 */
const [mostBytes, leastBytes] = [230, 200];

function partsOf(name: string, isFolder: boolean): readonly string[] {
  const whole = encoded(name, isFolder);
  if (Buffer.byteLength(whole) <= mostBytes) return [whole];
  let cut = '';
  for (const character of name) {
    if (Buffer.byteLength(encoded(cut + character, true)) >= mostBytes) break;
    cut += character;
  }
  return [`${encoded(cut, true)}%`, ...partsOf(name.slice(cut.length), isFolder)];
}

const goesOn = (part: string): boolean => part.endsWith('%') && Buffer.byteLength(part) > leastBytes;

const decoded = (text: string): string =>
  text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
    Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'),
  );

/** The path of the file of a section, with "/" between folders. */
export const pathOfSection = (section: readonly string[]): string =>
  (section.length === 0
    ? unsorted
    : section.flatMap((name, level) => partsOf(name, level < section.length - 1)).join('/')) + caseFileEnd;

/** The section of a file: the opposite of {@link pathOfSection}, also for names that somebody else chose. */
export function sectionOfPath(path: string): readonly string[] {
  const whole = path.replaceAll('\\', '/').slice(0, -caseFileEnd.length);
  if (whole === unsorted) return [];
  const names: string[] = [];
  let begun = '';
  for (const part of whole.split('/')) {
    const isBegin = goesOn(part);
    begun += decoded(isBegin ? part.slice(0, -1) : part);
    if (isBegin) continue;
    names.push(begun.trim());
    begun = '';
  }
  return begun === '' ? names : [...names, begun.trim()];
}

/** Whether two sections are the same for a server. */
export const sectionKey = (section: readonly string[]): string => JSON.stringify(section.map(nameKey));
