import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { Check } from '../../design/fields.tsx';
import type { Column } from '../../design/grid/grid.tsx';
import type { TestRow } from './test-columns.tsx';
import { t } from '../../texts/text.ts';

interface ColumnDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Those that the table can have. */
  readonly columns: ReadonlyArray<Column<TestRow>>;
  readonly shown: readonly string[];
  readonly onChange: (keys: readonly string[]) => void;
}

/** Which columns the table has. They stand in the address, so a link shows the same table to others. */
export const ColumnDialog = ({ isOpen, onClose, columns, shown, onChange }: ColumnDialogProps) => (
  <Dialog title={t('Columns')} isOpen={isOpen} onClose={onClose}>
    <div className="stack">
      {columns.map(({ key, title }) => (
        <Check
          key={key}
          isSelected={key === 'name' || shown.includes(key)}
          isDisabled={key === 'name'}
          onChange={(isShown) =>
            onChange(
              columns
                .map((column) => column.key)
                .filter((one) => (one === key ? isShown : one === 'name' || shown.includes(one))),
            )
          }
        >
          {title}
        </Check>
      ))}
      <div className="row end">
        <Button kind="primary" onPress={onClose}>
          {t('Show columns')}
        </Button>
      </div>
    </div>
  </Dialog>
);
