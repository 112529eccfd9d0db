/** Whose changes of tests need a review: nobody's, those over MCP, everybody's. */
export const reviewModes = ['off', 'agents', 'all'] as const;
export type ReviewMode = (typeof reviewModes)[number];

/** Whether an agent calls from there. @param surface the name of a surface. */
export const isAgent = (surface: string): boolean => surface === 'mcp' || surface === 'stdio';

/** Whether a change of tests from there has to be a proposal. */
export const needsReview = (mode: ReviewMode, surface: string): boolean =>
  mode === 'all' || (mode === 'agents' && isAgent(surface));

export const reviewStates = ['open', 'approved', 'changes-requested', 'merged', 'declined'] as const;
export type ReviewState = (typeof reviewStates)[number];

export const verdicts = ['approve', 'request-changes', 'decline'] as const;
export type Verdict = (typeof verdicts)[number];

/** Values of a test by parameter name. */
export type ProposedFields = Readonly<Record<string, unknown>>;

/** The states of proposals that can still be merged. */
export const liveStates = ['open', 'approved', 'changes-requested'] as const satisfies readonly ReviewState[];
