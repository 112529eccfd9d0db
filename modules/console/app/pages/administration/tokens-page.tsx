import { Page } from '../../design/states.tsx';

export default function TokensPage() {
  return <Page title="Tokens">{null}</Page>;
}
