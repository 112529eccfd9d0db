import { Page } from '../../design/states.tsx';

export default function RunsPage({ projectId }: { readonly projectId: number }) {
  return <Page title="Runs">{projectId}</Page>;
}
