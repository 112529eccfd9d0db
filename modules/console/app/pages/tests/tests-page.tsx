import { Page } from '../../design/states.tsx';

export default function TestsPage({
  projectId,
}: {
  readonly projectId: number;
  readonly testId: number | null;
}) {
  return <Page title="Tests">{projectId}</Page>;
}
