import type { Output } from '../../api/calls.ts';
import { operationText, surfaceWord } from '../../api/operation-words.ts';
import { usePeople } from '../../api/people.ts';
import { useTool } from '../../api/queries.ts';
import { causeWord } from '../../api/role-word.ts';
import { Facts } from '../../design/facts.tsx';
import { Listing } from '../../design/listing.tsx';
import { Empty } from '../../design/states.tsx';
import { Time, timeText } from '../../design/time.tsx';
import { usePaging } from '../../frame/paging.ts';
import { useAddress } from '../../frame/router.tsx';
import { auditFilter, eventWord } from './audit-filter.ts';
import { noun, t } from '../../texts/text.ts';

type Entry = Output<'list-audit'>['events'][number];

/** A part of an entry as text. Ids and stable words only: an audit log has no other texts. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The entries of the audit log that the address chooses. */
export function AuditList() {
  const [state] = useAddress();
  const { page, pager } = usePaging();
  const { nameOf } = usePeople();
  const entries = useTool('list-audit', { ...auditFilter(state), ...page }, { keep: true });
  const person = (userId: number | null) => (
    <div className="table-name">{userId === null ? '–' : nameOf(userId)}</div>
  );
  return (
    <Listing
      of={entries}
      label={t('Audit log')}
      rowsOf={({ events }) => events}
      keyOf={({ eventId }) => eventId}
      columns={[
        { title: t('Time'), cell: ({ at }) => <Time at={at} /> },
        { title: t('Event'), cell: (entry) => eventWord(entry.event) },
        {
          title: t('What'),
          cell: ({ operation, cause }) =>
            operation === null ? (
              <span className="mono">{causeWord(cause ?? '')}</span>
            ) : (
              operationText(operation)
            ),
        },
        { title: t('Person'), cell: ({ userId }) => person(userId) },
        { title: t('Done by'), cell: ({ actorId, userId }) => person(actorId ?? userId) },
        {
          title: t('Through'),
          cell: ({ surface }) =>
            surface === null ? '–' : <span className="badge">{surfaceWord(surface)}</span>,
        },
      ]}
      detail={{
        label: ({ eventId, event }) =>
          t('Details of entry {eventId}, {event}', { eventId, event: eventWord(event) }),
        content: (entry) => <EntryFacts entry={entry} />,
      }}
      names={noun('entry', 'entries')}
      pager={pager}
      empty={
        <Empty title={t('No entry')}>
          <p>{t('Nothing in the audit log is like this. Clear a filter to see more.')}</p>
        </Empty>
      }
    />
  );
}

/** All that an entry says, by the names that the tool uses. */
const EntryFacts = ({ entry }: { readonly entry: Entry }) => (
  <Facts
    of={[
      { name: t('time'), value: `${timeText(entry.at)} (${entry.at})` },
      ...Object.entries(entry)
        .filter(([name, value]) => name !== 'at' && value !== null)
        .map(([name, value]) => ({ name, value: <span className="mono">{textOf(value)}</span> })),
    ]}
  />
);
