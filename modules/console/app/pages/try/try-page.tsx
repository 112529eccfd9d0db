import { Page } from '../../design/states.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { useAddress } from '../../frame/router.tsx';
import { ExplainTab } from './explain-tab.tsx';
import { SimulateTab } from './simulate-tab.tsx';
import { TenantChooser, useTenant } from '../tenant/tenant.tsx';
import '../ctas/ctas.css';
import '../ctas/cta.css';
import './try.css';
import { t } from '../../texts/text.ts';

/** What CTAs would do, and why a user sees one or not. Nothing is stored. */
export default function TryPage() {
  const [tenantId] = useTenant();
  const [address, change] = useAddress();
  const tab = address.get('tab') === 'explain' ? 'explain' : 'simulate';
  return (
    <Page title={t('Simulate and explain')} actions={<TenantChooser />}>
      <Tabs
        label={t('What to try')}
        selected={tab}
        onChange={(id) => change({ tab: id === 'simulate' ? null : id, offset: null })}
        tabs={[
          {
            id: 'simulate',
            name: t('Simulate'),
            content: <SimulateTab key={tenantId} tenantId={tenantId} />,
          },
          { id: 'explain', name: t('Explain'), content: <ExplainTab key={tenantId} tenantId={tenantId} /> },
        ]}
      />
    </Page>
  );
}
