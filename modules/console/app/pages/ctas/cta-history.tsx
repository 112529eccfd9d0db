import { useTool } from '../../api/queries.ts';
import { Pager } from '../../design/pager.tsx';
import { Answer, Empty } from '../../design/states.tsx';
import { timeText } from '../../design/time.tsx';
import { useAddress } from '../../shell/router.tsx';
import { useNames } from './cta-people.ts';
import { CtaStatusText } from './cta-status.tsx';

const limit = 50;

/** The status changes of a CTA. */
export function CtaHistory({ ctaId }: { readonly ctaId: string }) {
  const [address, change] = useAddress();
  const offset = Number(address.get('offset')) || 0;
  const changes = useTool('list-cta-status-changes', { ctaId, limit, offset }, { keep: true });
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
            <Pager
              total={total}
              limit={limit}
              offset={offset}
              of={['change', 'changes']}
              onOffset={(to) => change({ offset: to === 0 ? null : String(to) }, { push: true })}
            />
          </>
        )
      }
    </Answer>
  );
}
