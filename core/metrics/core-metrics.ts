import { counter, gauge, histogram, seconds, type MetricTable } from './metric.ts';

/** The metrics of the kernel. Modules declare theirs in `metrics` of their manifest. */
export const coreMetrics = {
  build: gauge('trivet_build_info', 'Always 1; the labels say which version runs on which engine.', [
    'version',
    'engine',
  ]),
  requests: counter('trivet_http_requests_total', 'HTTP requests by route pattern and status.', [
    'method',
    'route',
    'status',
  ]),
  requestSeconds: histogram(
    'trivet_http_request_seconds',
    'Seconds until the response of an HTTP request begins.',
    ['method', 'route'],
    seconds,
  ),
  requestsInFlight: gauge('trivet_http_requests_in_flight', 'HTTP requests that are being answered.', []),
  refusals: counter('trivet_refusals_total', 'HTTP error responses by error code.', ['code']),
  operations: counter(
    'trivet_operations_total',
    'Calls of tools on all surfaces; the code is "ok" or an error code.',
    ['operation', 'surface', 'code'],
  ),
  operationSeconds: histogram(
    'trivet_operation_seconds',
    'Seconds that a call of a tool takes.',
    ['operation'],
    seconds,
  ),
  checkOk: gauge('trivet_check_ok', 'What GET /readyz checks: 1 when the check holds, 0 when it fails.', [
    'check',
  ]),
  writeQueue: gauge('trivet_write_queue_writes', 'SQLite: writes that wait for the next commit.', []),
  groupCommit: histogram(
    'trivet_group_commit_writes',
    'SQLite: writes that were committed together.',
    [],
    [1, 2, 4, 8, 16, 32, 64, 128, 256],
  ),
  commitSeconds: histogram(
    'trivet_commit_seconds',
    'SQLite: seconds from the begin of a write transaction to the end of its commit.',
    [],
    seconds,
  ),
  statementSeconds: histogram(
    'trivet_database_statement_seconds',
    'PostgreSQL: seconds until a statement is answered. Statements that are sent together share a round trip.',
    [],
    seconds,
  ),
  connections: gauge(
    'trivet_database_connections',
    'PostgreSQL: connections that a transaction or a group of reads has.',
    [],
  ),
  connectionsLimit: gauge(
    'trivet_database_connections_limit',
    'PostgreSQL: connections that this process may have.',
    [],
  ),
  connectionWaits: gauge(
    'trivet_database_connection_waits',
    'PostgreSQL: writes that wait for a connection.',
    [],
  ),
  storageFailures: counter(
    'trivet_storage_failures_total',
    'Statements and commits that failed by the storage, by its stable word, e.g. sqlite_full.',
    ['cause'],
  ),
  diskFree: gauge(
    'trivet_disk_free_bytes',
    'Bytes free for this user on the disk of the data directory.',
    [],
  ),
  walBytes: gauge('trivet_wal_bytes', 'SQLite: bytes of the write-ahead log.', []),
  databaseBytes: gauge('trivet_database_bytes', 'SQLite: bytes of the database file.', []),
  lastBackup: gauge(
    'trivet_last_backup_timestamp_seconds',
    'When the last backup of this data directory ended (Unix time); absent before the first.',
    [],
  ),
  backupFailing: gauge(
    'trivet_backup_failing',
    'With --backup-every: 1 from a backup that failed until the next one that was made, else 0.',
    [],
  ),
  replicationLag: gauge(
    'trivet_replication_lag_seconds',
    'With --replicate: seconds back to the moment until which everything committed is at the target.',
    [],
  ),
  replicationWaiting: gauge(
    'trivet_replication_waiting_bytes',
    'With --replicate: bytes of changes that wait for the target.',
    [],
  ),
  replicationFailing: gauge(
    'trivet_replication_failing',
    'With --replicate: 1 while the target is away, refuses, or belongs to a newer server, else 0.',
    [],
  ),
  standby: gauge(
    'trivet_standby',
    'With --follow: 1 while this server is a standby, 0 once it has taken over.',
    [],
  ),
  standbyLag: gauge(
    'trivet_standby_lag_seconds',
    'Of a standby: seconds back to the moment until which everything committed on the other server is in its copy.',
    [],
  ),
  eventLoopDelay: histogram(
    'trivet_event_loop_delay_seconds',
    'How much later than planned a timer of 50 ms fires: what else waits as long.',
    [],
    [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  ),
  letters: counter(
    'trivet_letters_total',
    'With --smtp-url: letters by kind and outcome: "sent", "failed" (given up), "unwanted" (switched off, or about something that is gone) or "retried".',
    ['kind', 'outcome'],
  ),
  lettersWaiting: gauge(
    'trivet_letters_waiting',
    'With --smtp-url: letters that wait in the database; each process says the same number.',
    [],
  ),
  jobFailures: counter('trivet_job_failures_total', 'Runs of repeating jobs that failed.', ['job']),
  workerUp: gauge('trivet_worker_up', 'With --processes: 1 when the worker has answered this scrape.', []),
  cpuSeconds: counter('process_cpu_seconds_total', 'CPU seconds of the process, user and system.', []),
  residentBytes: gauge('process_resident_memory_bytes', 'Resident memory of the process.', []),
  startTime: gauge('process_start_time_seconds', 'When the process started (Unix time).', []),
} as const satisfies MetricTable;
