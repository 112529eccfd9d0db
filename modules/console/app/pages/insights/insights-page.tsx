import { Page } from '../../design/states.tsx';

export default function InsightsPage({ projectId }: { readonly projectId: number }) {
  return <Page title="Insights">{projectId}</Page>;
}
