import { textHead } from '../../../core/text/text-head.ts';

/*
 * FieldTable of tests of Checkmate that Trivet has no column for. They are the last paragraph of the description, a line each, so that people
 * see and searches find them, and so that they come back.
 */

const titles = {
  jiraTicket: 'Jira ticket',
  defects: 'Defects',
  automationId: 'Automation id',
  additionalGroups: 'Additional groups',
  fullTitle: 'Full title',
} as const;

export type ExtraField = keyof typeof titles;
export type Extras = Readonly<Partial<Record<ExtraField, string>>>;
export const extraFields = Object.keys(titles) as readonly ExtraField[];

const oneLine = (text: string) => text.split(/\s+/).filter(Boolean).join(' ');

/** The description with the fields that are given. */
export function withExtras(description: string, extras: Extras): string {
  const lines = extraFields.flatMap((field) => {
    const value = oneLine(extras[field] ?? '');
    return value === '' ? [] : [`${titles[field]}: ${value}`];
  });
  if (lines.length === 0) return description;
  return description === '' ? lines.join('\n') : `${description}\n\n${lines.join('\n')}`;
}

/** The description and the fields in its last paragraph, if every line of that is one. */
export function extrasOf(stored: string): { readonly description: string; readonly extras: Extras } {
  const at = stored.lastIndexOf('\n\n');
  const last = at === -1 ? stored : stored.slice(at + 2);
  const extras: Partial<Record<ExtraField, string>> = {};
  for (const line of last.split('\n')) {
    const field = extraFields.find((one) => line.startsWith(`${titles[one]}: `));
    if (field === undefined) return { description: stored, extras: {} };
    extras[field] = line.slice(titles[field].length + 2);
  }
  return { description: at === -1 ? '' : stored.slice(0, at), extras };
}

/** The most characters of a name in Trivet; a title of Checkmate may have 750. */
const longestName = 255;

/** A title as a name. One that is too long is kept whole in the description. */
export function nameOfTitle(title: string): { readonly testName: string; readonly fullTitle?: string } {
  const whole = oneLine(title);
  if (title.trim().length <= longestName) return { testName: title.trim() };
  return { testName: `${textHead(whole, longestName - 1)}…`, fullTitle: whole };
}
