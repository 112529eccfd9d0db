import { useMe } from '../../api/queries.ts';
import { Empty, Page } from '../../design/states.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { useAddress } from '../../frame/router.tsx';
import { KeyPanel } from './key-panel.tsx';
import { ProviderPanel } from './provider-panel.tsx';
import { SettingPanel } from './setting-panel.tsx';

const tabs = [
  { id: 'settings', name: 'Settings', content: <SettingPanel /> },
  { id: 'keys', name: 'Signing keys', content: <KeyPanel /> },
  { id: 'providers', name: 'Identity providers', content: <ProviderPanel /> },
];

/** How this server is set up, for administrators of the first organization. */
export default function SettingsPage() {
  const [state, change] = useAddress();
  const me = useMe().data;
  const tab = state.get('tab') ?? '';
  return (
    <Page title="Settings">
      {me?.administersServer === true ? (
        <Tabs
          label="Settings of the server"
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
  <Empty title="Only for administrators of the server">
    <p>These are the administrators of the first organization. Ask one of them.</p>
  </Empty>
);
