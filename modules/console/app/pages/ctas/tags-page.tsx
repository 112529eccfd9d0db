import { Page } from '../../design/states.tsx';

export default function TagsPage() {
  return <Page title="Behaviour tags">{null}</Page>;
}
