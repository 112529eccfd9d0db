import { Page } from '../../design/states.tsx';

export default function AuditPage() {
  return <Page title="Audit">{null}</Page>;
}
