import { useMetadata } from '../../api/metadata.ts';
import type { QueryChip } from '../../query/query-chips.tsx';
import { queryValues } from '../../query/query-text.ts';
import { fieldChips, ownFieldValues } from './field-chips.ts';
import { useProjectFields } from './field-inputs.tsx';

interface QueryHints {
  /** What a search box completes, by field: the names of the project's lists, and its own fields with their values. */
  readonly names: Readonly<Record<string, readonly string[]>>;
  /** The filters for own fields. */
  readonly ownChips: readonly QueryChip[];
}

/** What a project offers to whoever writes a query about its tests. */
export function useQueryHints(projectId: number): QueryHints {
  const metadata = useMetadata(projectId);
  const fields = useProjectFields(projectId, 'test');
  return { names: { ...queryValues(metadata), ...ownFieldValues(fields) }, ownChips: fieldChips(fields) };
}
