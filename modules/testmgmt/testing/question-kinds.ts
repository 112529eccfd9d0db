import type { AskedCase, AskedProject, AskedRun } from './asked-project.ts';

/** The ids of the conversation, which a program knows before it asks. */
export interface Asked {
  readonly projectId: number;
  /** The run of the conversation. */
  readonly runId: number;
  readonly testId: number;
}

type Answer = Readonly<Record<string, unknown>>;
export type AskTool = (tool: string, args: object) => Promise<Answer>;

/** A question, how a program asks it in at most two calls, and the answer computed from everything that was sent. */
export interface ThirtyQuestion {
  readonly question: string;
  readonly ask: (ask: AskTool, about: Asked) => Promise<unknown>;
  readonly read: (project: AskedProject) => unknown;
}

type Row = Readonly<Record<string, unknown>>;
export const rowsOf = (answer: Answer) => Object.values(answer).find(Array.isArray) as readonly Row[];

/** This many ids fit into two thousand tokens, however long the names are. */
export const shown = 100;
export const idsAndTotal = (answer: Answer) => ({
  total: answer['total'],
  ids: rowsOf(answer).map((row) => row['testId'] ?? row['runId']),
});
export const chosen = (found: ReadonlyArray<{ readonly id: number }>, most = shown) => ({
  total: found.length,
  ids: found.slice(0, most).map(({ id }) => id),
});

/** A question that a single query answers. */
export const byQuery = (
  question: string,
  query: string,
  fits: (test: AskedCase, project: AskedProject) => boolean,
  order?: (a: AskedCase, b: AskedCase) => number,
): ThirtyQuestion => ({
  question,
  ask: async (ask, { projectId }) =>
    idsAndTotal(await ask('get-tests', { projectId, query, fields: ['testId'], limit: shown })),
  read: (project) => {
    const found = project.live.filter((test) => fits(test, project));
    return chosen(order ? found.toSorted((a, b) => order(a, b) || a.id - b.id) : found);
  },
});

/** A question about the tests of one run. */
export const ofRun = (
  question: string,
  query: string,
  fits: (test: AskedCase, run: AskedRun, project: AskedProject) => boolean,
): ThirtyQuestion => ({
  question,
  ask: async (ask, { projectId, runId }) =>
    idsAndTotal(
      await ask('get-run-tests-list', { projectId, runId, query, fields: ['testId'], limit: shown }),
    ),
  read: (project) => {
    const run = project.talkedOf;
    return chosen(project.all.filter((test) => run.standing.has(test.id) && fits(test, run, project)));
  },
});

export const ofRuns = (
  question: string,
  query: string,
  fits: (run: AskedRun, project: AskedProject) => boolean,
): ThirtyQuestion => ({
  question,
  ask: async (ask, { projectId }) =>
    idsAndTotal(await ask('get-runs', { projectId, query, fields: ['runId'], limit: shown })),
  read: (project) => chosen(project.runs.filter((run) => fits(run, project)).toReversed()),
});

/** The changes between the last two runs: first the ids of these runs, then the comparison. */
export const changed = (
  question: string,
  change: string,
  fits: (before: string | undefined, now: string | undefined) => boolean,
): ThirtyQuestion => ({
  question,
  ask: async (ask, { projectId }) => {
    const [run] = rowsOf(await ask('get-runs', { projectId, fields: ['runId'], limit: 1 }));
    const { total, tests } = await ask('compare-runs', {
      projectId,
      runId: run?.['runId'],
      change,
      limit: 20,
    });
    return { total, ids: (tests as readonly Row[]).map((row) => row['testId']) };
  },
  read: ({ all, runs }) => {
    const [before, now] = runs.slice(-2);
    const of = (run: AskedRun | undefined, id: number) => run?.standing.get(id)?.status;
    return chosen(
      all.filter(({ id }) => fits(of(before, id), of(now, id))),
      20,
    );
  },
});

/** A question with a tool of its own, which returns ordered ids. */
export const ranked = (
  question: string,
  tool: string,
  args: object,
  read: (project: AskedProject) => ReadonlyArray<{ readonly id: number }>,
): ThirtyQuestion => ({
  question,
  ask: async (ask, { projectId }) => idsAndTotal(await ask(tool, { projectId, ...args, limit: 10 })),
  read: (project) => chosen(read(project), 10),
});
