import { Page } from '../../design/states.tsx';

export default function DesignPage() {
  return <Page title="Design">{null}</Page>;
}
