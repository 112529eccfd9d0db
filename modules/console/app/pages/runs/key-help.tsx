import { Dialog } from '../../design/dialog.tsx';

const keys = [
  ['j  k', 'Next and previous test'],
  ['n', 'Next untested test'],
  ['p', 'Passed'],
  ['f', 'Failed'],
  ['b', 'Blocked'],
  ['r', 'Retest'],
  ['u', 'Untested'],
  ['c', 'Write a comment; Ctrl Enter stores it'],
  ['z', 'Undo the last status'],
  ['/', 'Search'],
  ['Ctrl K', 'Go to another page'],
  ['?', 'This list'],
] as const;

/** All keys of a run. */
export const KeyHelp = ({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) => (
  <Dialog title="Keys" isOpen={isOpen} onClose={onClose}>
    <table className="table">
      <thead>
        <tr>
          <th scope="col">Key</th>
          <th scope="col">What it does</th>
        </tr>
      </thead>
      <tbody>
        {keys.map(([key, does]) => (
          <tr key={key}>
            <td>
              <kbd>{key}</kbd>
            </td>
            <td>{does}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </Dialog>
);
