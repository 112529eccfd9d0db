import { nameKey } from '../../../core/text/name-key.ts';
import type { Random } from '../../../test/verify/scale.ts';
import { durationComparison } from './query-comparison.ts';

/*
 * What queries say about evidence and planning, a second time, over arrays: who is assigned, milestones, plans, configurations, estimates,
 * links and failure groups, for tests, for runs and for the tests of a run. It uses neither the parser nor SQL.
 */

export interface ModelLink {
  readonly kind: 'requirement' | 'defect';
  readonly key: string;
  /** null: of the test itself. */
  readonly runId: number | null;
}

/** A result, of which a test has at most one in each run. */
export interface ModelResult {
  readonly runId: number;
  readonly status: 'passed' | 'failed' | 'blocked' | 'retest';
  /** The id of its failure group; empty without a message. */
  readonly group: string;
  readonly at: number;
}

export interface PlannedTest {
  readonly id: number;
  readonly isDeleted: boolean;
  readonly estimateSeconds: number | null;
  readonly links: readonly ModelLink[];
  /** In the order in which they were given. */
  readonly results: readonly ModelResult[];
}

export interface PlannedRunModel {
  readonly id: number;
  readonly milestone: string | null;
  readonly planId: number | null;
  readonly configurations: readonly string[];
  readonly dueOn: string | null;
  /** By test; null: nobody. */
  readonly assignees: ReadonlyMap<number, number | null>;
  /** The tests that are untested or to be retested. */
  readonly open: ReadonlySet<number>;
}

/** A test as it is in one run. */
export interface TestInRun {
  readonly run: PlannedRunModel;
  readonly test: PlannedTest;
}

export interface PlanningNames {
  readonly me: number;
  readonly people: ReadonlyArray<{ readonly id: number; readonly email: string }>;
  readonly milestones: readonly string[];
  readonly configurations: readonly string[];
  readonly planIds: readonly number[];
  readonly keys: readonly string[];
  readonly groups: readonly string[];
  readonly days: readonly string[];
}

/** A query with what it means. */
export interface Meant<T> {
  readonly text: string;
  readonly fits: (one: T) => boolean;
}

type Term<T> = (random: Random, names: PlanningNames) => Meant<T>;

const quoted = (text: string) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;

/** One or two values of a list, or none; `none` may stand beside values. */
function chosen<V>(random: Random, from: readonly V[], show: (value: V) => string) {
  const some = from.length === 0 ? [] : Array.from({ length: 1 + random.below(2) }, () => random.pick(from));
  const none = some.length === 0 || random.below(4) === 0;
  const isOnlyNone = random.below(5) === 0;
  return isOnlyNone
    ? { text: 'none', some: [], none: true }
    : { text: [...some.map(show), ...(none ? ['none'] : [])].join(), some, none };
}

/** A field with values of a list, of which a record has any number. */
const fieldOf =
  <T, V>(
    field: string,
    from: (names: PlanningNames) => readonly V[],
    show: (value: V, random: Random, names: PlanningNames) => string,
    has: (one: T) => readonly V[],
  ): Term<T> =>
  (random, names) => {
    const { text, some, none } = chosen(random, from(names), (value) => show(value, random, names));
    return {
      text: `${field}:${text}`,
      fits: (one) => has(one).some((value) => some.includes(value)) || (none && has(one).length === 0),
    };
  };

/** The same name in other letters. ß has no such: it becomes SS. */
const oddCase = (text: string, random: Random): string => {
  const other = random.pick([text, text.toLowerCase(), text.toUpperCase()]);
  return nameKey(other) === nameKey(text) ? other : text;
};

/** The keys of links, whose case is ignored. */
const linked = <T>(
  field: string,
  kind: ModelLink['kind'],
  linksOf: (one: T) => readonly ModelLink[],
): Term<T> =>
  fieldOf<T, string>(
    field,
    ({ keys }) => keys.map(nameKey),
    (key, random) => quoted(oddCase(key, random)),
    (one) => linksOf(one).flatMap((link) => (link.kind === kind ? [nameKey(link.key)] : [])),
  );

const hasLinked = <T>(field: string, kind: ModelLink['kind'], linksOf: (one: T) => readonly ModelLink[]) =>
  (() => ({
    text: `has:${field}`,
    fits: (one: T) => linksOf(one).some((link) => link.kind === kind),
  })) satisfies Term<T>;

const linksHere = ({ run, test }: TestInRun): readonly ModelLink[] =>
  test.links.filter(({ runId }) => runId === null || runId === run.id);

const estimated =
  <T>(of: (one: T) => number | null): Term<T> =>
  (random) => {
    if (random.below(4) === 0) return { text: 'estimate:none', fits: (one) => of(one) === null };
    const [text, compare] = durationComparison(random);
    return {
      text: `estimate:${text}`,
      fits: (one) => {
        const seconds = of(one);
        return seconds !== null && compare(seconds * 1_000);
      },
    };
  };

/** A failing result: its group, or '' without a message. Nothing for others. */
const groupOf = (result: ModelResult | undefined): readonly string[] =>
  result?.status === 'failed' ? [result.group] : [];

const grouped =
  <T>(resultOf: (one: T) => ModelResult | undefined): Term<T> =>
  (random, { groups }) => {
    const { text, some, none } = chosen(random, groups, (group) => group);
    const wanted = none ? [...some, ''] : some;
    return {
      text: `group:${text}`,
      fits: (one) => groupOf(resultOf(one)).some((group) => wanted.includes(group)),
    };
  };

const person = (id: number, random: Random, { me, people }: PlanningNames): string =>
  id === me && random.below(2) === 0
    ? 'me'
    : random.below(2) === 0
      ? String(id)
      : (people.find((one) => one.id === id)?.email.toUpperCase() ?? String(id));

const idsOf = ({ people }: PlanningNames) => people.map(({ id }) => id);
const list = <V>(value: V | null | undefined): readonly V[] =>
  value === null || value === undefined ? [] : [value];

/** The terms of get-tests. */
export const testTerms: ReadonlyArray<Term<PlannedTest>> = [
  linked('req', 'requirement', ({ links }) => links),
  linked('defect', 'defect', ({ links }) => links),
  hasLinked('req', 'requirement', ({ links }) => links),
  hasLinked('defect', 'defect', ({ links }) => links),
  estimated(({ estimateSeconds }) => estimateSeconds),
  grouped(({ results }) => results.at(-1)),
];

/** The terms of get-run-tests-list. */
export const runTestTerms: ReadonlyArray<Term<TestInRun>> = [
  linked('req', 'requirement', linksHere),
  linked('defect', 'defect', linksHere),
  hasLinked('defect', 'defect', linksHere),
  estimated(({ test }) => test.estimateSeconds),
  grouped(({ run, test }) => test.results.find(({ runId }) => runId === run.id)),
  fieldOf('assigned', idsOf, person, ({ run, test }) => list(run.assignees.get(test.id))),
];

/** The terms of get-runs. */
export const runTerms: ReadonlyArray<Term<PlannedRunModel>> = [
  fieldOf<PlannedRunModel, string>(
    'milestone',
    ({ milestones }) => milestones,
    (name, random) => quoted(oddCase(name, random)),
    ({ milestone }) => list(milestone),
  ),
  fieldOf<PlannedRunModel, number>(
    'plan',
    ({ planIds }) => planIds,
    String,
    ({ planId }) => list(planId),
  ),
  fieldOf<PlannedRunModel, string>(
    'config',
    ({ configurations }) => configurations,
    (name, random) => quoted(oddCase(name, random)),
    ({ configurations }) => configurations,
  ),
  (random, names) => {
    const { text, some, none } = chosen(random, idsOf(names), (id) => person(id, random, names));
    const isMeant = (id: number | null) => (id === null ? none : some.includes(id));
    return random.below(2) === 0
      ? { text: `assigned:${text}`, fits: ({ assignees }) => [...assignees.values()].some(isMeant) }
      : {
          text: `todo:${text}`,
          fits: ({ assignees, open }) => [...assignees].some(([test, id]) => open.has(test) && isMeant(id)),
        };
  },
  (random, { days }) => {
    if (random.below(4) === 0) return { text: 'due:none', fits: ({ dueOn }) => dueOn === null };
    const day = random.pick(days);
    const [sign, compare] = random.pick([
      ['', (due: string) => due === day],
      ['<', (due: string) => due < day],
      ['>=', (due: string) => due >= day],
    ] as const);
    return { text: `due:${sign}${day}`, fits: ({ dueOn }) => dueOn !== null && compare(dueOn) };
  },
];

/** A random query of these terms, in a random notation. */
export function meantQuery<T>(
  random: Random,
  names: PlanningNames,
  terms: ReadonlyArray<Term<T>>,
  depth = 2,
): Meant<T> {
  const kind = depth === 0 ? 3 : random.below(6);
  if (kind > 2) return random.pick(terms)(random, names);
  if (kind === 2) {
    const { text, fits } = meantQuery(random, names, terms, depth - 1);
    return { text: `${random.pick(['NOT ', '-'])}(${text})`, fits: (one) => !fits(one) };
  }
  const parts = [0, 1].map(() => meantQuery(random, names, terms, depth - 1));
  const text = parts.map((part) => `(${part.text})`).join(kind === 0 ? ' OR ' : ' ');
  return {
    text,
    fits: (one) => (kind === 0 ? parts.some(({ fits }) => fits(one)) : parts.every(({ fits }) => fits(one))),
  };
}

/** The coverage of requirements by brute force: for each key, in lower case, its tests by last result. */
export function modelCoverage(tests: readonly PlannedTest[]) {
  const live = tests.filter(({ isDeleted }) => !isDeleted);
  const keys = new Set(
    live.flatMap(({ links }) =>
      links.flatMap(({ kind, key }) => (kind === 'requirement' ? [nameKey(key)] : [])),
    ),
  );
  return Object.fromEntries(
    [...keys].map((key) => {
      const own = live.filter(({ links }) =>
        links.some((link) => link.kind === 'requirement' && nameKey(link.key) === key),
      );
      const last = own.map(({ results }) => results.at(-1));
      const count = (status: ModelResult['status']) => last.filter((one) => one?.status === status).length;
      const times = last.flatMap((one) => one?.at ?? []);
      return [
        key,
        {
          // The project has no link templates.
          url: null,
          tests: own.length,
          passed: count('passed'),
          failed: count('failed'),
          blocked: count('blocked'),
          untested: count('retest'),
          neverRun: last.filter((one) => one === undefined).length,
          lastAt: times.length === 0 ? null : new Date(Math.max(...times)).toISOString(),
        },
      ] as const;
    }),
  );
}
