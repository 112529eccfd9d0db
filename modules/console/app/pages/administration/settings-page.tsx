import { useMe } from '../../api/queries.ts';
import { Empty, Page } from '../../design/states.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { useAddress } from '../../frame/router.tsx';
import { KeyPanel } from './key-panel.tsx';
import { ProviderPanel } from './provider-panel.tsx';
import { SettingPanel } from './setting-panel.tsx';
import { t } from '../../texts/text.ts';

const tabs = [
  { id: 'settings', name: t('Settings'), content: <SettingPanel /> },
  { id: 'keys', name: t('Signing keys'), content: <KeyPanel /> },
  { id: 'providers', name: t('Identity providers'), content: <ProviderPanel /> },
];

/** How this server is set up, for administrators of the first organization. */
export default function SettingsPage() {
  const [state, change] = useAddress();
  const me = useMe().data;
  const tab = state.get('tab') ?? '';
  return (
    <Page title={t('Settings')}>
      {me?.administersServer === true ? (
        <Tabs
          label={t('Settings of the server')}
          tabs={tabs}
          selected={tabs.some(({ id }) => id === tab) ? tab : 'settings'}
          onChange={(id) => change({ tab: id === 'settings' ? null : id, search: null })}
        />
      ) : (
        <ServerAdministratorsOnly />
      )}
    </Page>
  );
}

const ServerAdministratorsOnly = () => (
  <Empty title={t('Only for administrators of the server')}>
    <p>{t('These are the administrators of the first organization. Ask one of them.')}</p>
  </Empty>
);
