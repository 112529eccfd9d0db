import { Page } from '../../design/states.tsx';

export default function RunPage({ projectId }: { readonly projectId: number; readonly runId: number }) {
  return <Page title="Run">{projectId}</Page>;
}
