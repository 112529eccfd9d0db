import { Page } from '../../design/states.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { useAddress } from '../../frame/router.tsx';
import { KeyPanel } from './key-panel.tsx';
import { ProviderPanel } from './provider-panel.tsx';
import { ServerPage } from '../../frame/server-page.tsx';
import { SettingPanel } from './setting-panel.tsx';
import { t } from '../../texts/text.ts';

const tabs = [
  { id: 'settings', name: t('Settings'), content: <SettingPanel /> },
  { id: 'keys', name: t('Signing keys'), content: <KeyPanel /> },
  { id: 'providers', name: t('Identity providers'), content: <ProviderPanel /> },
];

/** How this server is set up. */
export default function SettingsPage() {
  const [state, change] = useAddress();
  const tab = state.get('tab') ?? '';
  return (
    <ServerPage title={t('Settings')}>
      <Page title={t('Settings')}>
        <Tabs
          label={t('Settings of the server')}
          tabs={tabs}
          selected={tabs.some(({ id }) => id === tab) ? tab : 'settings'}
          onChange={(id) => change({ tab: id === 'settings' ? null : id, search: null })}
        />
      </Page>
    </ServerPage>
  );
}
