import { Page } from '../../design/states.tsx';

export default function ProjectSettingsPage({ projectId }: { readonly projectId: number }) {
  return <Page title="Project settings">{projectId}</Page>;
}
