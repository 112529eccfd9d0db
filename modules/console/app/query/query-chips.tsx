import { memo, useCallback, useRef } from 'react';
import { ActionMenu } from '../design/menu.tsx';
import { chipValues, withChipValues } from './query-chip-text.ts';
import { t } from '../texts/text.ts';

export interface QueryChip {
  readonly name: string;
  /** The field of the query language. */
  readonly field: string;
  readonly values: readonly string[];
}

interface QueryChipsProps {
  readonly chips: readonly QueryChip[];
  readonly query: string;
  readonly onApply: (query: string) => void;
}

/** Filters for whoever does not know the query language: each writes its term into the query. */
export function QueryChips({ chips, query, onApply }: QueryChipsProps) {
  const latest = useRef(onApply);
  latest.current = onApply;
  const apply = useCallback((changed: string) => latest.current(changed), []);
  return <Chips chips={chips} query={query} onApply={apply} />;
}

const isSame = (before: QueryChipsProps, now: QueryChipsProps): boolean =>
  before.query === now.query && JSON.stringify(before.chips) === JSON.stringify(now.chips);

/** Drawn again only when they differ: a page of a run is drawn at each key, and menus are much of it. */
const Chips = memo(
  ({ chips, query, onApply }: QueryChipsProps) => (
    <div className="query-chips" role="group" aria-label={t('Filters')}>
      {chips.map(({ name, field, values }) => {
        const chosen = chipValues(query, field);
        const toggled = (value: string) =>
          chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value];
        return (
          <ActionMenu
            key={field}
            small
            label={chosen.length === 0 ? t('filter') : t('change the filter')}
            text={chosen.length === 0 ? name : `${name}: ${chosen.join(', ')}`}
            actions={[
              ...values.map((value) => ({
                id: `=${value}`,
                name: value,
                isChosen: chosen.includes(value),
                onAction: () => onApply(withChipValues(query, field, toggled(value))),
              })),
              ...(chosen.length === 0
                ? []
                : [{ id: 'any', name: t('Any'), onAction: () => onApply(withChipValues(query, field, [])) }]),
            ]}
          />
        );
      })}
    </div>
  ),
  isSame,
);
