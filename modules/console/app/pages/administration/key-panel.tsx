import type { Output } from '../../api/calls.ts';
import { useTool } from '../../api/queries.ts';
import { Listing } from '../../design/listing.tsx';
import { Empty } from '../../design/states.tsx';
import { Time } from '../../design/time.tsx';
import { usePaging } from '../../frame/paging.ts';

type Status = Output<'list-signing-keys'>['keys'][number]['status'];

const uses: Readonly<Record<Status, string>> = {
  next: 'Signs next; clients know it already.',
  active: 'Signs tokens.',
  retired: 'Only verifies older tokens.',
};
const changes: Readonly<Record<Status, string>> = {
  next: 'signs',
  active: 'is replaced',
  retired: 'is deleted',
};

/** The keys that sign tokens. Never key material. */
export function KeyPanel() {
  const { page, pager } = usePaging();
  const keys = useTool('list-signing-keys', page, { keep: true });
  return (
    <div className="stack">
      <p className="note">
        Keys change by themselves. <code>trivet keys rotate</code> on the server changes them now, e.g. after
        a leak.
      </p>
      <Listing
        of={keys}
        label="Signing keys"
        rowsOf={({ keys }) => keys}
        keyOf={({ kid }) => kid}
        columns={[
          { title: 'Key id', cell: ({ kid }) => <span className="mono">{kid}</span> },
          { title: 'Algorithm', cell: ({ algorithm }) => algorithm },
          {
            title: 'Use',
            cell: ({ status }) => (
              <>
                <span className="badge">{status}</span> {uses[status]}
              </>
            ),
          },
          { title: 'Since', cell: ({ since }) => <Time at={since} /> },
          {
            title: 'Next change',
            cell: ({ status, changesAt }) => (
              <>
                {changes[status]} <Time at={changesAt} />
              </>
            ),
          },
        ]}
        names={['key', 'keys']}
        pager={pager}
        empty={
          <Empty title="No signing key yet">
            <p>The first is made when somebody signs in.</p>
          </Empty>
        }
      />
    </div>
  );
}
