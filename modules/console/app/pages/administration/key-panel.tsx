import type { Output } from '../../api/calls.ts';
import { useTool } from '../../api/queries.ts';
import { Listing } from '../../design/listing.tsx';
import { Empty } from '../../design/states.tsx';
import { Time } from '../../design/time.tsx';
import { usePaging } from '../../frame/paging.ts';
import { noun, t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

type Status = Output<'list-signing-keys'>['keys'][number]['status'];

const uses: Readonly<Record<Status, string>> = {
  next: t('Signs next; clients know it already.'),
  active: t('Signs tokens.'),
  retired: t('Only verifies older tokens.'),
};
const changes: Readonly<Record<Status, string>> = {
  next: 'signs',
  active: t('is replaced'),
  retired: t('is deleted'),
};

/** The keys that sign tokens. Never key material. */
export function KeyPanel() {
  const { page, pager } = usePaging();
  const keys = useTool('list-signing-keys', page, { keep: true });
  return (
    <div className="stack">
      <p className="note">
        {nodes('Keys change by themselves. {trivetKeys} on the server changes them now, e.g. after a leak.', {
          trivetKeys: <code>{t('trivet keys rotate')}</code>,
        })}
      </p>
      <Listing
        of={keys}
        label={t('Signing keys')}
        rowsOf={({ keys }) => keys}
        keyOf={({ kid }) => kid}
        columns={[
          { title: t('Key id'), cell: ({ kid }) => <span className="mono">{kid}</span> },
          { title: t('Algorithm'), cell: ({ algorithm }) => algorithm },
          {
            title: t('Use'),
            cell: ({ status }) => (
              <>
                <span className="badge">{status}</span> {uses[status]}
              </>
            ),
          },
          { title: t('Since'), cell: ({ since }) => <Time at={since} /> },
          {
            title: t('Next change'),
            cell: ({ status, changesAt }) => (
              <>
                {changes[status]} <Time at={changesAt} />
              </>
            ),
          },
        ]}
        names={noun('key')}
        pager={pager}
        empty={
          <Empty title={t('No signing key yet')}>
            <p>{t('The first is made when somebody signs in.')}</p>
          </Empty>
        }
      />
    </div>
  );
}
