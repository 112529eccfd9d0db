import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * What a newcomer asks, and the file that decides it. The words of the question stand in that file (or in its path), so that a
 * search for them finds it; the named function is the one to read.
 *
 * Mutation note: seen to fail with a file that was renamed, a function that was renamed, and words that only another file has.
 */
const root = join(import.meta.dir, '..');

type Row = readonly [question: string, file: string, definition: string, words: readonly string[]];

const table: readonly Row[] = [
  // Kernel: many processes
  [
    'what an executable may do beside a newer one',
    'core/db/ledger/ledger.ts',
    'ledgerOf',
    ['newer', 'write'],
  ],
  ['when a worker is started again', 'core/cli/serve/supervisor.ts', 'supervise', ['worker', 'again']],
  // Area A
  [
    'which refresh token is a reuse',
    'modules/auth/sessions/rotation.ts',
    'rotate',
    ['refresh token', 'reuse'],
  ],
  [
    'who is signed in at the console, and when a cookie is worth nothing',
    'modules/auth/sessions/browser-session.ts',
    'browserActor',
    ['console', 'cookie'],
  ],
  [
    'which requests only a page of this server may send',
    'core/http/caller/page-caller.ts',
    'requireOwnPage',
    ['page', 'cross-site'],
  ],
  ['when the next signing key signs', 'modules/auth/keys/key-rotation.ts', 'rotationPlan', ['key', 'sign']],
  [
    'which claims of an ID token are checked',
    'modules/auth/providers/id-token.ts',
    'verifyIdToken',
    ['ID token', 'iss', 'aud'],
  ],
  [
    'what a scope of a personal access token allows',
    'modules/auth/personal-tokens/token-scope.ts',
    'parseScopes',
    ['scope'],
  ],
  [
    'what an access token contains',
    'modules/auth/sessions/access-token.ts',
    'mintAccessToken',
    ['access token'],
  ],
  [
    'which identity providers are preset',
    'modules/auth/providers/configured-providers.ts',
    'providers',
    ['google', 'provider'],
  ],
  ['how the master key is found', 'modules/auth/keys/master-key.ts', 'deriveKey', ['master key']],
  ['who knows the caller of a request', 'modules/auth/sessions/identity.ts', 'identity', ['bearer']],
  [
    'to which addresses a sign-in by browser may lead',
    'modules/auth/oauth-clients/redirect-uri.ts',
    'isRegistered',
    ['redirect', 'address', 'registered'],
  ],
  [
    'what a program gets of the scopes that it asks for',
    'modules/auth/oauth/oauth-scope.ts',
    'grantScope',
    ['scope', 'client', 'asks'],
  ],
  [
    'who is asked before a program acts for them',
    'modules/auth/oauth/consent.ts',
    'consentPage',
    ['person', 'program', 'act for'],
  ],
  // Area B
  ['when two state machines tie', 'modules/cta/state/merge.ts', 'merge', ['tie', 'machine']],
  [
    'when a frequency limit is used up',
    'modules/cta/rules/frequency.ts',
    'reachedLimitOf',
    ['limit', 'window'],
  ],
  ['which app versions are eligible', 'modules/cta/rules/eligibility.ts', 'appGate', ['version', 'eligib']],
  ['who is in a cohort', 'modules/cta/rules/cohort.ts', 'belongsTo', ['cohort']],
  ['which status a CTA may have next', 'modules/cta/rules/lifecycle.ts', 'illegalStatusChange', ['status']],
  ['what is wrong with a rule', 'modules/cta/rules/rule-check.ts', 'checkRule', ['rule']],
  ['when stored state is archived', 'modules/cta/state/archive.ts', 'archive', ['tombstone']],
  ['what happens at an app launch', 'modules/cta/launch/launch.ts', 'launch', ['launch']],
  [
    'what is dropped when a state is too large',
    'modules/cta/state/state-budget.ts',
    'trimToBudget',
    ['budget'],
  ],
  [
    'how a write reaches the next launch',
    'modules/cta/tenants/tenant-change.ts',
    'changeTenant',
    ['launch', 'version'],
  ],
  ['who may publish in a tenant', 'modules/cta/tenants/tenant-access.ts', 'tenantFor', ['publish', 'tenant']],
  // Area C
  ['who may lock a run', 'modules/testmgmt/runs/run-operations.ts', 'runLock', ['lock', 'access']],
  [
    'what a CSV column means',
    'modules/testmgmt/transfer/csv-columns.ts',
    'columnsOf',
    ['CSV column', 'means'],
  ],
  [
    'what tests are classified by',
    'modules/testmgmt/rules/classification.ts',
    'classifications',
    ['classif'],
  ],
  ['which statuses a test in a run has', 'modules/testmgmt/rules/test-status.ts', 'testStatuses', ['status']],
  [
    'which ids are of another project',
    'modules/testmgmt/cases/case-references.ts',
    'requireReferences',
    ['project'],
  ],
  [
    'when a result changes nothing',
    'modules/testmgmt/runs/result-store.ts',
    'recordResults',
    ['result', 'history'],
  ],
  ['when a test is flaky', 'modules/testmgmt/outcomes/outcome.ts', 'isFlaky', ['flaky', 'outcome']],
  [
    'how many sections a project may have',
    'modules/testmgmt/projects/project-limits.ts',
    'requireRoom',
    ['project', 'sections'],
  ],
  // Kernel
  ['which headers CORS allows', 'core/http/caller/cors.ts', 'preflight', ['CORS', 'headers']],
  ['which Host names are accepted', 'core/http/caller/guard.ts', 'hostAndOriginGuard', ['Host', 'rebinding']],
  ['how a setting becomes a flag', 'core/settings/config.ts', 'resolveConfig', ['setting', 'flag']],
  ['which exit code an error has', 'core/base/errors.ts', 'exitCodeOf', ['exit code']],
  ['what an idempotency key repeats', 'core/tools/idempotency.ts', 'once', ['idempotency key']],
  ['how large a request body may be', 'core/http/request/body.ts', 'readJson', ['body', 'limit']],
  ['who may use an operation', 'core/base/actor.ts', 'mayUse', ['operation', 'role']],
  ['when a list has a next page', 'core/tools/page.ts', 'withNextOffset', ['nextOffset']],
  ['when a call to a server is retried', 'core/tools/remote-executor.ts', 'remoteExecutor', ['retr', '429']],
  ['how a database is migrated', 'core/db/open/migrate.ts', 'migrate', ['migration', 'backup']],
  [
    'how data moves from SQLite to PostgreSQL',
    'core/db/transfer/transfer.ts',
    'transfer',
    ['source', 'target', 'interrupted'],
  ],
  ['which module is loaded for a tool', 'core/kernel/module-loading.ts', 'modulesWithin', ['tool', 'module']],
  ['which era of MCP a message is of', 'core/mcp/era.ts', 'eraOfMessage', ['era', 'version', 'message']],
  ['what is loaded when a command starts', 'modules/start.ts', 'start', ['interpreter']],
  ['what a server counts', 'core/metrics/core-metrics.ts', 'coreMetrics', ['metric', 'requests']],
  ['when a server is ready', 'core/http/server/readiness.ts', 'readinessOf', ['readyz', 'check', 'holds']],
  [
    'what doctor sees of a directory',
    'core/cli/commands/directory-check.ts',
    'directoryChecks',
    ['doctor', 'disk'],
  ],
  ['when traces are made', 'core/traces/tracing.ts', 'asksForTraces', ['traces', 'ask']],
  ['what a log line may contain', 'core/base/log.ts', 'errorFields', ['log', 'never']],
  // Area C: results of pipelines
  [
    'which test a case of a pipeline is',
    'modules/testmgmt/pipelines/matching/case-match.ts',
    'matchCases',
    ['case', 'test', 'automation key'],
  ],
  ['which attempt counts', 'modules/testmgmt/pipelines/rows/attempt.ts', 'combined', ['attempt', 'counts']],
  [
    'when a test that vanished is one that appeared',
    'modules/testmgmt/pipelines/matching/rename.ts',
    'renamesOf',
    ['vanished', 'appeared', 'same'],
  ],
  [
    'which of two names keeps a test',
    'modules/testmgmt/pipelines/matching/name-contest.ts',
    'settleNames',
    ['names', 'keeps'],
  ],
  [
    'which format a result file has',
    'modules/testmgmt/result-files/file-format.ts',
    'readerOf',
    ['format', 'content'],
  ],
];

test('the table is long enough', () => expect(table.length).toBeGreaterThanOrEqual(26));

test.each(table)('%s: %s', (_question, file, definition, words) => {
  expect([file, existsSync(join(root, file))]).toEqual([file, true]);
  const text = readFileSync(join(root, file), 'utf8');
  expect(text).toMatch(
    new RegExp(`^export (?:async )?(?:const|function\\*?|class|interface|type) ${definition}\\b`, 'm'),
  );
  const searched = `${file}\n${text}`.toLowerCase();
  expect(words.filter((word) => !searched.includes(word.toLowerCase()))).toEqual([]);
});
