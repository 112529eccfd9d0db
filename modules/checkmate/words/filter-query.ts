import type { StatusWord } from './status-word.ts';

/** The filters of lists of tests. Ids; null means "none". */
interface TestFilters {
  readonly textSearch?: string | undefined;
  readonly squadIds?: ReadonlyArray<number | null> | undefined;
  readonly labelIds?: readonly number[] | undefined;
  readonly platformIds?: readonly number[] | undefined;
  readonly sectionIds?: readonly number[] | undefined;
  readonly priorityIds?: readonly number[] | undefined;
  readonly automationStatusIds?: readonly number[] | undefined;
  readonly statuses?: readonly StatusWord[] | undefined;
  readonly filterType?: 'and' | 'or' | undefined;
}

const quoted = (text: string) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

const anyOf = (field: string, values: ReadonlyArray<number | null> | undefined): string | undefined =>
  values === undefined || values.length === 0
    ? undefined
    : `${field}:${values.map((value) => value ?? 'none').join(',')}`;

/** A text is searched in titles; digits are an id, too. */
function searched(text: string | undefined): string | undefined {
  const wanted = text?.trim() ?? '';
  if (wanted === '') return undefined;
  const inName = `name:${quoted(wanted)}`;
  return /^[1-9]\d{0,14}$/.test(wanted) ? `(id:${wanted} OR ${inName})` : inName;
}

/**
 * The query (docs/query.md) of some filters; undefined without any. `filterType` joins the lists of squads, labels and platforms; inside a
 * list any value suffices; all other filters must hold. Sections are without those below them.
 */
export function queryOfFilters(filters: TestFilters): string | undefined {
  const joined = [
    anyOf('squad', filters.squadIds),
    anyOf('label', filters.labelIds),
    anyOf('platform', filters.platformIds),
  ].filter((term) => term !== undefined);
  const lists =
    joined.length > 1 && filters.filterType === 'or'
      ? `(${joined.join(' OR ')})`
      : joined.join(' ') || undefined;
  const sections = filters.sectionIds?.map((id) => `section:=${id}`) ?? [];
  const terms = [
    searched(filters.textSearch),
    lists,
    sections.length > 1 ? `(${sections.join(' OR ')})` : sections[0],
    anyOf('priority', filters.priorityIds),
    anyOf('automation', filters.automationStatusIds),
    filters.statuses && filters.statuses.length > 0 ? `status:${filters.statuses.join(',')}` : undefined,
  ].filter((term) => term !== undefined);
  return terms.length === 0 ? undefined : terms.join(' ');
}

/** The order of a list by a field of Checkmate's pages; undefined for a field by which Trivet does not order. */
export function sortOf(sortBy: string, order: string | undefined): string | undefined {
  const fields: Readonly<Record<string, string>> = { title: 'name', 'test id': 'id', priority: 'priority' };
  const field = fields[sortBy.toLowerCase().replaceAll('+', ' ').trim()];
  return field === undefined ? undefined : `sort:${field}-${order?.toLowerCase() === 'asc' ? 'asc' : 'desc'}`;
}
