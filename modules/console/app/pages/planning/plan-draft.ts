import type { Input } from '../../api/calls.ts';
import { everyTest } from '../../query/query-text.ts';
import { t } from '../../texts/text.ts';

/** Which combinations of configurations a plan has runs for. */
export type Combinations = 'none' | 'all' | 'pairwise';

/** A part of a plan as a person fills it in. */
export interface EntryDraft {
  readonly runName: string;
  /** Empty: all tests of the project. */
  readonly query: string;
  readonly combinations: Combinations;
  readonly groupIds: readonly number[];
  readonly assignTo: readonly number[];
}

/** A plan as a person fills it in. */
export interface PlanDraft {
  readonly name: string;
  readonly description: string;
  /** The id of a milestone; empty: none. */
  readonly milestone: string;
  /** A day; empty: none. */
  readonly dueOn: string;
  readonly entries: readonly EntryDraft[];
}

/** A new entry, of all tests. @param groupIds all groups of configurations. */
export const newEntry = (groupIds: readonly number[]): EntryDraft => ({
  runName: '',
  query: '',
  combinations: groupIds.length === 0 ? 'none' : 'all',
  groupIds,
  assignTo: [],
});

/** An entry with only those of its groups of configurations that exist. */
export const withGroups = (entry: EntryDraft, existing: readonly number[]): EntryDraft => ({
  ...entry,
  groupIds: entry.groupIds.filter((id) => existing.includes(id)),
});

function entryInput(draft: EntryDraft): Input<'create-plan'>['entries'][number] {
  const { runName, query, combinations, groupIds, assignTo } = draft;
  return {
    query: query.trim() === '' ? everyTest : query.trim(),
    ...(runName.trim() === '' ? {} : { runName: runName.trim() }),
    // Without a group there is nothing to combine.
    ...(combinations === 'none' || groupIds.length === 0
      ? {}
      : { configurations: combinations, groupIds: [...groupIds] }),
    ...(assignTo.length === 0 ? {} : { assignTo: [...assignTo] }),
  };
}

/** What create-plan is called with. A plan without a name gets a passing one: it is only counted. */
export function planInput(
  projectId: number,
  { name, description, milestone, dueOn, entries }: PlanDraft,
): Input<'create-plan'> {
  return {
    projectId,
    name: name.trim() === '' ? t('New plan') : name.trim(),
    ...(description.trim() === '' ? {} : { description: description.trim() }),
    ...(milestone === '' ? {} : { milestoneId: Number(milestone) }),
    ...(dueOn === '' ? {} : { dueOn }),
    entries: entries.map(entryInput),
  };
}

/** The configurations of a run, e.g. `Chrome, Linux`; empty for a run without any. */
export const configurationText = (values: ReadonlyArray<{ readonly value: string }>): string =>
  values.map(({ value }) => value).join(', ');

/** e.g. `45 min`, `2 h 5 min`. @param minutes may be a part of one. */
export function minutesText(minutes: number): string {
  const whole = Math.ceil(minutes);
  if (whole < 60) return t('{whole} min', { whole });
  const rest = whole % 60;
  return rest === 0
    ? `${Math.floor(whole / 60)} h`
    : t('{whole} h {rest} min', { whole: Math.floor(whole / 60), rest });
}
