import { Page } from '../../design/states.tsx';

export default function HealthPage() {
  return <Page title="Health">{null}</Page>;
}
