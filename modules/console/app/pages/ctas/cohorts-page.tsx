import { Page } from '../../design/states.tsx';

export default function CohortsPage() {
  return <Page title="Cohorts">{null}</Page>;
}
