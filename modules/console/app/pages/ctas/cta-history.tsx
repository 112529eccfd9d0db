import { useTool } from '../../api/queries.ts';
import { Pager } from '../../design/pager.tsx';
import { Answer, Empty } from '../../design/states.tsx';
import { timeText } from '../../design/time.tsx';
import { usePaging } from '../../frame/paging.ts';
import { useNames } from './cta-people.ts';
import { CtaStatusText } from './cta-status.tsx';

/** The status changes of a CTA. */
export function CtaHistory({ ctaId }: { readonly ctaId: string }) {
  const { page, onOffset } = usePaging();
  const changes = useTool('list-cta-status-changes', { ctaId, ...page }, { keep: true });
  const nameOf = useNames();
  return (
    <Answer of={changes}>
      {({ changes: rows, total }) =>
        total === 0 ? (
          <Empty title="The status did not change yet">
            <p>It is a draft since it was created.</p>
          </Empty>
        ) : (
          <>
            <div className="table-frame">
              <table className="table">
                <thead>
                  <tr>
                    <th scope="col">When</th>
                    <th scope="col">From</th>
                    <th scope="col">To</th>
                    <th scope="col">Who</th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map(({ from, to, at, by }) => (
                    <tr key={`${at} ${from} ${to}`}>
                      <td>{timeText(at)}</td>
                      <td>
                        <CtaStatusText of={from} />
                      </td>
                      <td>
                        <CtaStatusText of={to} />
                      </td>
                      <td>{by === null ? 'The clock, by its start or end' : nameOf(by)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
            <Pager total={total} {...page} of={['change', 'changes']} onOffset={onOffset} />
          </>
        )
      }
    </Answer>
  );
}
