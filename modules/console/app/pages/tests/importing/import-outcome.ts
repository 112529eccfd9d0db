import { doneText } from '../../../design/amount.ts';
import { t } from '../../../texts/text.ts';

interface Counts {
  readonly createdCount: number;
  readonly updatedCount: number;
  readonly restoredCount: number;
  readonly unchangedCount: number;
}

/** What becomes of tests that were imported before, as a sentence after another; false: there are none. */
export function againText({ updatedCount, restoredCount, unchangedCount }: Counts): string | false {
  const again = [
    [updatedCount, t('updated')],
    [restoredCount, t('restored')],
    [unchangedCount, t('left as they are')],
  ].filter(([count]) => count !== 0);
  return (
    again.length > 0 &&
    t(' Of tests that were imported before: {again}.', {
      again: again.map(([count, what]) => `${count} ${what}`).join(', '),
    })
  );
}

/** What an import did. */
export const importedText = (of: Counts & { readonly testsCount: number }): string =>
  `${doneText(of.testsCount, 'test', 'imported')}.${againText(of) || ''}`;

/** Whether an import wrote anything: of one that did not, Undo would take back the write before. */
export const isWritten = ({ createdCount, updatedCount, restoredCount }: Counts): boolean =>
  createdCount + updatedCount + restoredCount > 0;
