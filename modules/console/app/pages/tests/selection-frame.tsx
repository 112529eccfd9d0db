import type { ReactNode } from 'react';
import { numberText } from '../../design/amount.ts';
import { Button } from '../../design/button.tsx';
import { Check } from '../../design/fields.tsx';
import { t } from '../../texts/text.ts';

interface SelectionFrameProps {
  /** Tests that the actions are about. */
  readonly count: number;
  readonly selected: number;
  /** Tests that the page shows. */
  readonly total: number;
  readonly isAll: boolean;
  readonly onAll: (isAll: boolean) => void;
  readonly onClear: () => void;
  /** The actions. */
  readonly children: ReactNode;
}

/** How many tests are selected, the way to all that are shown, and the actions on them. */
export const SelectionFrame = ({
  count,
  selected,
  total,
  isAll,
  onAll,
  onClear,
  children,
}: SelectionFrameProps) => (
  <section className="bulk row" aria-label={t('Selected tests')}>
    <strong>{t('{count} selected', { count: numberText(count) })}</strong>
    {total > selected && (
      <Check isSelected={isAll} onChange={onAll}>
        {t('All {total} that are shown', { total: numberText(total) })}
      </Check>
    )}
    {children}
    <Button kind="quiet" onPress={onClear}>
      {t('Clear selection')}
    </Button>
  </section>
);
