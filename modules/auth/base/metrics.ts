import { counter, gauge, type MetricTable } from '../../../core/metrics/metric.ts';

/** The metrics of Area A. */
export const authMetrics = {
  signIns: counter(
    'trivet_sign_ins_total',
    'Sign-ins by identity provider; the outcome is "ok", which starts a session, or the cause of the refusal.',
    ['provider', 'outcome'],
  ),
  refreshes: counter(
    'trivet_session_refreshes_total',
    'Refreshes of sessions; the outcome is "ok" or the cause of the refusal, e.g. "reused".',
    ['outcome'],
  ),
  links: counter(
    'trivet_identity_links_total',
    'Identities that callers linked; the outcome is "promoted" (a guest), "switched", "added", "known" or the code of the refusal.',
    ['provider', 'outcome'],
  ),
  logouts: counter(
    'trivet_provider_logouts_total',
    'Back-channel logouts of identity providers; the outcome is "ok" or the cause of the refusal.',
    ['provider', 'outcome'],
  ),
  auditExports: counter(
    'trivet_audit_export_batches_total',
    'With --audit-export: batches by outcome, "ok" or "failed", which is tried again.',
    ['outcome'],
  ),
  auditWaiting: gauge('trivet_audit_export_waiting', 'With --audit-export: about how many entries wait.', []),
  auditFailing: gauge(
    'trivet_audit_export_failing',
    'With --audit-export: 1 while the last attempt failed, of whichever process, else 0.',
    [],
  ),
} as const satisfies MetricTable;
