import { nameKey } from '../../../core/base/name-key.ts';

/* A section is a file: Checkout > Payment is Checkout/Payment.test.md, beside the folder Checkout/Payment with the sections below it. */

export const caseFileEnd = '.test.md';
/** The file of the tests in no section. */
const unsorted = '_unsorted';
/** What no file system of ours allows, what begins a hidden file, and the escape itself. */
const forbidden = /[%/\\:*?"<>|\p{Cc}]|^[.\s_]|[.\s]$/gu;

const isReserved = (name: string): boolean => /^(?:con|prn|aux|nul|com\d|lpt\d)$/i.test(name);

function encoded(name: string): string {
  const head = isReserved(name) ? `%${hex(name)}` : '';
  const rest = head === '' ? name : name.slice(1);
  return head + rest.replaceAll(forbidden, (character) => `%${hex(character)}`);
}

const hex = (character: string): string =>
  Buffer.from(character.slice(0, 1), 'utf8').toString('hex').toUpperCase().padStart(2, '0');

const decoded = (text: string): string =>
  text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
    Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'),
  );

/** The path of the file of a section, with "/" between folders. */
export const pathOfSection = (section: readonly string[]): string =>
  (section.length === 0 ? unsorted : section.map(encoded).join('/')) + caseFileEnd;

/** The section of a file: the opposite of {@link pathOfSection}, also for names that somebody else chose. */
export function sectionOfPath(path: string): readonly string[] {
  const name = path.replaceAll('\\', '/').slice(0, -caseFileEnd.length);
  return name === unsorted ? [] : name.split('/').map((part) => decoded(part).trim());
}

/** Whether two sections are the same for a server. */
export const sectionKey = (section: readonly string[]): string => JSON.stringify(section.map(nameKey));
