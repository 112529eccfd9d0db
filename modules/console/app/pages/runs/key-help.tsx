import { Dialog } from '../../design/dialog.tsx';
import { Table } from '../../design/table.tsx';

const keys = [
  ['j  k', 'Next and previous test'],
  ['n', 'Next untested test'],
  ['p', 'Passed, and on to the next test; with Shift the test stays'],
  ['f', 'Failed, as above'],
  ['b', 'Blocked, as above'],
  ['r', 'Retest, as above'],
  ['u', 'Untested, as above'],
  ['c', 'Write a comment; Ctrl Enter stores it'],
  ['a', 'Assign the test to somebody'],
  ['z', 'Undo the last status'],
  ['/', 'Search'],
  ['Ctrl K', 'Go to another page'],
  ['?', 'This list'],
] as const;

/** All keys of a run. */
export const KeyHelp = ({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) => (
  <Dialog title="Keys" isOpen={isOpen} onClose={onClose}>
    <Table
      label="Keys of a run"
      rows={keys}
      keyOf={([key]) => key}
      columns={[
        { title: 'Key', cell: ([key]) => <kbd>{key}</kbd> },
        { title: 'What it does', cell: ([, does]) => does },
      ]}
    />
  </Dialog>
);
