import { Page } from '../../design/states.tsx';

export default function SettingsPage() {
  return <Page title="Settings">{null}</Page>;
}
