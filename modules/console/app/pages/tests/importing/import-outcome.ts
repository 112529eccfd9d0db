import { countText, doneText } from '../../../design/amount.ts';
import { noun, t, type Noun } from '../../../texts/text.ts';

/** How many names the project did not have. */
interface Added {
  readonly sections: number;
  readonly labels: number;
  readonly squads: number;
  readonly options: number;
}

const nouns: ReadonlyArray<readonly [kind: keyof Added, noun: Noun]> = [
  ['sections', noun('section')],
  ['labels', noun('label')],
  ['squads', noun('squad')],
  ['options', noun('value of a classification', 'values of classifications')],
];

/** The names that are created with the tests, e.g. "1 section, 2 labels"; empty: none. */
export const addedNames = (added: Added): string =>
  nouns
    .flatMap(([kind, { one, several }]) => (added[kind] > 0 ? countText(added[kind], one, several) : []))
    .join(', ');

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

/** What an import did: since the preview, somebody else may have renamed or deleted a section or a label of the file. */
export function importedText(of: Counts & { readonly testsCount: number; readonly added: Added }): string {
  const added = addedNames(of.added);
  const withThem = added === '' ? '' : t(' Added with them: {added}.', { added });
  return `${doneText(of.testsCount, 'test', 'imported')}.${withThem}${againText(of) || ''}`;
}

/** Whether an import wrote anything: of one that did not, Undo would take back the write before. */
export const isWritten = ({ createdCount, updatedCount, restoredCount }: Counts): boolean =>
  createdCount + updatedCount + restoredCount > 0;
