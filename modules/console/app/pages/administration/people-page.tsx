import { Page } from '../../design/states.tsx';

export default function PeoplePage() {
  return <Page title="People">{null}</Page>;
}
