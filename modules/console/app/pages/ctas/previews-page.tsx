import { Page } from '../../design/states.tsx';

export default function PreviewsPage() {
  return <Page title="Previews">{null}</Page>;
}
