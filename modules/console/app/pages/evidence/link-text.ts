import type { Input, Output } from '../../api/calls.ts';
import { newIssueAddress } from '../../../../testmgmt/links/link-template.ts';
import { quotedText } from '../../query/quoted-text.ts';
import { t } from '../../texts/text.ts';

type Kind = Output<'list-links'>['links'][number]['kind'];

export const linkChoices: ReadonlyArray<{ readonly id: Kind; readonly name: string }> = [
  { id: 'requirement', name: t('Requirement') },
  { id: 'defect', name: t('Defect') },
  { id: 'reference', name: t('Reference') },
];

export const kindName = (kind: string): string => linkChoices.find(({ id }) => id === kind)?.name ?? kind;

/** A link as typed: an address, or the key of another system. */
export function linkOf(kind: string, text: string): Input<'add-links'>['links'][number] | undefined {
  const known = linkChoices.find(({ id }) => id === kind);
  const given = text.trim();
  if (!known || given === '') return undefined;
  return /^https?:\/\//i.test(given) ? { kind: known.id, url: given } : { kind: known.id, key: given };
}

interface FailedTest {
  readonly testName: string;
  readonly runName: string;
  readonly message: string | null;
  /** Of the test in the run, in this console. */
  readonly address: string;
}

/** The address that opens a new issue about a failed test; undefined if the project has no template with one. */
export const newIssueOf = (
  templates: Output<'get-project-detail'>['linkTemplates'],
  { testName, runName, message, address }: FailedTest,
): string | undefined =>
  newIssueAddress(templates, {
    title: t('{testName} fails', { testName }),
    body: [message ?? '', t('Run: {runName}', { runName }), address]
      .filter((line) => line !== '')
      .join('\n\n'),
  });

/** A query for the tests with a requirement. Quotes keep a key with spaces together. */
export const requirementQuery = (key: string): string => `req:${quotedText(key)}`;

/** The name of a file in a header (RFC 8187). */
export const fileNameHeader = (name: string): string => `UTF-8''${encodeURIComponent(name.toWellFormed())}`;

const units = ['B', 'KiB', 'MiB', 'GiB'] as const;

/** e.g. "1.5 MiB". */
export function sizeText(bytes: number): string {
  let [size, unit] = [bytes, 0];
  while (size >= 1024 && unit < units.length - 1) [size, unit] = [size / 1024, unit + 1];
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${units[unit] ?? ''}`;
}

/** A day so many days ahead, in the form of a date field. */
export const dayAhead = (now: number, days: number): string =>
  new Date(now + days * 86_400_000).toISOString().slice(0, 10);
