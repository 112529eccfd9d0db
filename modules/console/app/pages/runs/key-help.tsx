import { Dialog } from '../../design/dialog.tsx';
import { Table } from '../../design/table.tsx';
import { t } from '../../texts/text.ts';

const keys = [
  ['j  k', t('Next and previous test')],
  ['n', t('Next untested test')],
  ['p', t('Passed, and on to the next test; with Shift the test stays')],
  ['f', t('Failed, as above')],
  ['b', t('Blocked, as above')],
  ['r', t('Retest, as above')],
  ['u', t('Untested, as above')],
  ['c', t('Write a comment; Ctrl Enter stores it')],
  ['a', t('Assign the test to somebody')],
  ['z', t('Undo the last status')],
  ['/', t('Search')],
  [t('Ctrl K'), t('Go to another page')],
  ['?', t('This list')],
] as const;

/** All keys of a run. */
export const KeyHelp = ({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) => (
  <Dialog title={t('Keys')} isOpen={isOpen} onClose={onClose}>
    <Table
      label={t('Keys of a run')}
      rows={keys}
      keyOf={([key]) => key}
      columns={[
        { title: t('Key'), cell: ([key]) => <kbd>{key}</kbd> },
        { title: t('What it does'), cell: ([, does]) => does },
      ]}
    />
  </Dialog>
);
