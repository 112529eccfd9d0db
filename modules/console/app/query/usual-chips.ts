import { statuses } from '../design/status.tsx';
import type { useMetadata } from '../api/metadata.ts';
import type { QueryChip } from './query-chips.tsx';
import { queryValues } from './query-text.ts';
import { t } from '../texts/text.ts';

type Metadata = ReturnType<typeof useMetadata>;

/** The filters that people use most. A project without labels or squads has no chip for them. */
const filled = (chips: readonly QueryChip[]) => chips.filter(({ values }) => values.length > 0);

export function testChips(metadata: Metadata): readonly QueryChip[] {
  const { label, squad, priority } = queryValues(metadata);
  return filled([
    { name: t('Last result'), field: 'last', values: statuses },
    { name: t('Priority'), field: 'priority', values: priority },
    { name: t('Label'), field: 'label', values: label },
    { name: t('Squad'), field: 'squad', values: squad },
  ]);
}

export function runTestChips(metadata: Metadata): readonly QueryChip[] {
  const { label, squad, priority } = queryValues(metadata);
  return filled([
    { name: t('Status'), field: 'status', values: statuses },
    { name: t('Assigned'), field: 'assigned', values: ['me', 'none'] },
    { name: t('Priority'), field: 'priority', values: priority },
    { name: t('Label'), field: 'label', values: label },
    { name: t('Squad'), field: 'squad', values: squad },
  ]);
}
