import { Link } from 'wouter';
import { useTool } from '../../api/queries.ts';
import { countText, numberText } from '../../design/amount.ts';
import { KillSwitches } from '../ctas/kill-switch.tsx';
import { lastTenant } from '../tenant/tenant-memory.ts';
import { t } from '../../texts/text.ts';

/** Names that are shown; the page of CTAs has all. */
const most = 5;

/** Which calls to action users may see now. */
export function HomeCtas() {
  const tenantId = lastTenant();
  const live = useTool('list-ctas', { tenantId, status: 'LIVE', limit: most });
  if (!live.data || live.data.total === 0) return null;
  const { ctas, total } = live.data;
  return (
    <section className="stack tight" aria-label={t('Live calls to action')}>
      <h2>
        <Link href="/ctas?status=LIVE">{countText(total, 'live CTA')}</Link>
      </h2>
      <KillSwitches tenantId={tenantId} />
      <p>
        {ctas.map(({ ctaId, name }, index) => (
          <span key={ctaId}>
            {index > 0 && ', '}
            <Link href={`/ctas/${ctaId}`}>{name}</Link>
          </span>
        ))}
        {total > ctas.length && t(', and {total} more', { total: numberText(total - ctas.length) })}
      </p>
    </section>
  );
}
