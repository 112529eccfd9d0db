import { Page } from '../../design/states.tsx';

export default function TryPage() {
  return <Page title="Simulate and explain">{null}</Page>;
}
