import { Page } from '../../design/states.tsx';

export default function CtasPage() {
  return <Page title="Calls to action">{null}</Page>;
}
