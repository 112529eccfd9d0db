import type { Output } from '../../api/calls.ts';

type Template = Output<'get-project-detail'>['linkTemplates'][number];

/** As typed: an empty address of new issues is none. */
export type LinkRow = Required<Template>;

export const emptyRow: LinkRow = { prefix: '', url: '', newIssueUrl: '' };

export const templateRowsOf = (templates: readonly Template[]): readonly LinkRow[] =>
  templates.map((one) => ({ ...emptyRow, ...one }));

export const templateOf = ({ prefix, url, newIssueUrl }: LinkRow): Template => ({
  prefix: prefix.trim(),
  url: url.trim(),
  ...(newIssueUrl.trim() === '' ? {} : { newIssueUrl: newIssueUrl.trim() }),
});

const withPrefix = (rows: readonly LinkRow[], { prefix }: LinkRow) =>
  rows.find((row) => row.prefix.trim() === prefix.trim());

/** The addresses that a person changed, with what somebody else has added, changed and removed since they were read. */
export const mergedRows = (
  read: readonly LinkRow[],
  typed: readonly LinkRow[],
  now: readonly LinkRow[],
): readonly LinkRow[] => [
  ...typed.flatMap((row) => {
    const before = withPrefix(read, row);
    const isAsRead = before?.url === row.url && before.newIssueUrl === row.newIssueUrl;
    return isAsRead ? (withPrefix(now, row) ?? []) : row;
  }),
  ...now.filter((row) => !withPrefix(read, row) && !withPrefix(typed, row)),
];
