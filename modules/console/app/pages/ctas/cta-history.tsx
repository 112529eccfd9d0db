import { useNames } from '../../api/people.ts';
import { useTool } from '../../api/queries.ts';
import { Listing } from '../../design/listing.tsx';
import { Empty } from '../../design/states.tsx';
import { timeText } from '../../design/time.tsx';
import { usePaging } from '../../frame/paging.ts';
import { CtaStatusText } from './cta-status.tsx';
import { noun, t } from '../../texts/text.ts';

/** The status changes of a CTA. */
export function CtaHistory({ ctaId }: { readonly ctaId: string }) {
  const { page, pager } = usePaging();
  const changes = useTool('list-cta-status-changes', { ctaId, ...page }, { keep: true });
  const nameOf = useNames();
  return (
    <Listing
      of={changes}
      label={t('Status changes')}
      rowsOf={(answer) => answer.changes}
      keyOf={({ at, from, to }) => `${at} ${from} ${to}`}
      columns={[
        { title: t('When'), cell: ({ at }) => timeText(at) },
        { title: t('From'), cell: ({ from }) => <CtaStatusText of={from} /> },
        { title: t('To'), cell: ({ to }) => <CtaStatusText of={to} /> },
        {
          title: t('Who'),
          cell: ({ by }) => (by === null ? t('The clock, by its start or end') : nameOf(by)),
        },
      ]}
      names={noun('change')}
      pager={pager}
      empty={
        <Empty title={t('The status did not change yet')}>
          <p>{t('It is a draft since it was created.')}</p>
        </Empty>
      }
    />
  );
}
