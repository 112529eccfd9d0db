/** A question that people ask, and the query that answers it. `{last}` and `{before}` are the ids of the last run and of the one before. */
export interface Question {
  readonly question: string;
  readonly tool: 'get-tests' | 'get-run-tests-list' | 'get-runs';
  readonly query: string;
}

const tests = (question: string, query: string): Question => ({ question, tool: 'get-tests', query });
const ofRun = (question: string, query: string): Question => ({
  question,
  tool: 'get-run-tests-list',
  query,
});
const runs = (question: string, query: string): Question => ({ question, tool: 'get-runs', query });

/**
 * What users of GitHub, Linear, Jira, Testomatio, Qase and TestRail ask of their lists. The names are those of bench/query-data.ts: label
 * smoke, section Checkout > Payment, squad Payments.
 */
export const questions: readonly Question[] = [
  tests('Which smoke tests failed last time?', 'label:smoke last:failed'),
  tests('Which tests failed in both of the last two runs?', 'failed-in:{last} failed-in:{before}'),
  tests('Which important tests were never run?', 'runs:0 priority:High,Critical'),
  tests('What was changed since 1 November by somebody else?', 'updated:>=2026-11-01 -updated-by:me'),
  tests('Which smoke tests have no steps?', 'label:smoke -has:steps'),
  tests(
    'What is flaky in Checkout, the most often failed first?',
    'flaky:yes section:Checkout sort:failed-desc',
  ),
  tests('Which tests failed the last time they were run?', 'last:failed'),
  tests('Which tests did not pass the last time, or were never run?', '-last:passed'),
  tests('Which critical tests pass?', 'priority:Critical last:passed'),
  tests('Which tests are no smoke tests?', '-label:smoke'),
  tests('Which tests have no label at all?', 'label:none'),
  tests('Which tests has nobody run since the middle of October?', 'last-run:<2026-10-15'),
  tests('What changed last?', 'sort:updated-desc'),
  tests('What did I change last?', 'updated-by:me sort:updated-desc'),
  tests('Which tests did I write that fail?', 'created-by:me last:failed,blocked'),
  tests('Which tests are about refunds?', 'refund'),
  tests('Which tests speak of a gift card in Checkout?', '"gift card" section:Checkout'),
  tests('Which tests have login in their name?', 'name:login'),
  tests('Which tests about payments are not automated?', 'payment -automation:Automated'),
  tests('Which tests have neither a squad nor a section?', 'squad:none section:none'),
  tests('Which tests of Payments fail or were never run?', 'squad:Payments (last:failed OR last:none)'),
  tests('What failed most often, the most important first?', 'failed:>=3 sort:priority sort:failed-desc'),
  tests('Which tests are flaky and still automated?', 'flaky:yes automation:Automated'),
  tests('Which tests should be in the last run and are not?', 'label:smoke,regression not-in-run:{last}'),
  tests('Which tests were deleted?', 'is:deleted'),
  tests('Which tests in the order of their names have no description?', '-has:description sort:name'),
  tests('Which stable tests could leave the nightly run?', 'runs:>=5 failed:0 flaky:no -label:smoke'),
  ofRun('What is open for Payments in the last run?', 'squad:Payments -status:passed'),
  ofRun('Which failures of the last run are new?', 'status:failed failed:1'),
  ofRun('What of mine in the last run failed, was blocked or waits?', 'by:me status:failed,blocked,untested'),
  ofRun(
    'Which tests of the last run changed since they were in it?',
    'updated:>=2026-11-20 sort:updated-desc',
  ),
  runs('Which runs are locked and had failures?', 'status:locked has:failed'),
  runs('Which runs are not finished?', 'status:active progress:<100'),
  runs('Which releases did I start in the last two months?', 'name:release created-by:me created:60d'),
];

/** @returns the arguments of the tool, for a project and its two last runs. */
export const argumentsOf = (
  { tool, query }: Question,
  { projectId, last, before }: { readonly projectId: number; readonly last: number; readonly before: number },
) => ({
  projectId,
  ...(tool === 'get-run-tests-list' ? { runId: last } : {}),
  query: query.replaceAll('{last}', String(last)).replaceAll('{before}', String(before)),
});
