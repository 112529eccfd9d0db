import type { Host } from '../../../core/host/host.ts';
import type { Check, Finding } from '../../../core/module/module.ts';
import { configuredTarget } from './export-job.ts';
import { exportRow, newestEntry } from '../audit/audit-export-store.ts';

const hourMs = 3_600_000;

/** The check of `trivet doctor`: whether the audit log arrives where `--audit-export` sends it. */
export const exportCheck: Check = { name: 'audit-export', run: findings };

async function findings(host: Host): Promise<Finding[]> {
  const configured = configuredTarget(host);
  if (!configured) return [];
  const row = await exportRow(host.db.q, configured.text);
  const waiting = (await newestEntry(host.db.q)) - (row?.cursor ?? 0);
  const failingMs = row?.failingSince == null ? 0 : host.clock.now() - row.failingSince;
  if (waiting <= 0 || failingMs < hourMs) return [];
  return [
    {
      finding: 'audit_export_failing',
      message: `For ${Math.floor(failingMs / hourMs)} hours no audit entry has arrived at the target of --audit-export (${row?.failure ?? 'unknown'}); about ${waiting} wait.`,
      remedy:
        'Repair the receiver, or the address. Entries that were not exported are not deleted, so they fill the disk.',
      warning: true,
    },
  ];
}
