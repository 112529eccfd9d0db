import { Page } from '../../design/states.tsx';

export default function SessionsPage() {
  return <Page title="Sessions">{null}</Page>;
}
