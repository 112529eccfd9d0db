import { counter, type MetricTable } from '../../../core/metrics/metric.ts';

/** The metrics of Area C. */
export const testmgmtMetrics = {
  ingestedFiles: counter('trivet_ingested_files_total', 'Files of pipelines whose results were stored.', []),
  ingestedCases: counter('trivet_ingested_cases_total', 'Cases in these files, by status.', ['status']),
} as const satisfies MetricTable;
