/** What a search box shows before anything is typed: a query of the fields that its own page has. */
export const queryExamples = {
  'get-tests': 'label:smoke last:failed',
  'get-runs': 'status:active progress:<100',
  'get-run-tests-list': 'status:failed by:me',
} as const;
