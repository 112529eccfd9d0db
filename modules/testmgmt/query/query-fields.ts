import { classifications, everyClassification, type Classification } from '../rules/classification.ts';
import { testStatuses } from '../rules/test-status.ts';

/** What a query chooses: tests of a project, tests of one run, or runs of a project. */
export type QueryScope = 'tests' | 'run-tests' | 'runs';

/** A list of the project whose records a value names, by id or name. */
export type NamedList = Classification | 'section' | 'squad' | 'label' | 'run';

/** What a value of a field may be. */
export type FieldType =
  | { readonly kind: 'number' }
  | { readonly kind: 'duration' }
  | { readonly kind: 'text' }
  | { readonly kind: 'date' }
  | { readonly kind: 'person' }
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'record'; readonly list: NamedList };

interface Field {
  readonly name: string;
  readonly scopes: readonly QueryScope[];
  readonly type: FieldType;
  /** Whether `none` is a value: the field is not set. */
  readonly optional?: true;
  /** Where `sort:` takes it. */
  readonly sorts?: readonly QueryScope[];
  /** What people write for it who know another language: the error names the field. */
  readonly alsoCalled?: readonly string[];
  /** One sentence. */
  readonly about: string;
  readonly example: string;
}

const tests = ['tests', 'run-tests'] as const;
const all = [...tests, 'runs'] as const;
const number = { kind: 'number' } as const;
const duration = { kind: 'duration' } as const;
const text = { kind: 'text' } as const;
const date = { kind: 'date' } as const;
const person = { kind: 'person' } as const;
const words = <const W extends readonly string[]>(...of: W) => ({ kind: 'words', words: of }) as const;

/** How a classification is called in a query, where that is not its own name. */
const called: Readonly<Partial<Record<Classification, string>>> = {
  automationStatus: 'automation',
  testCoveredBy: 'covered-by',
};

const classified = everyClassification.map((list): Field => {
  const name = called[list] ?? list;
  const [first = 'none', second] = classifications[list].usual.filter((value) => !value.includes(' '));
  return {
    name,
    scopes: tests,
    type: { kind: 'record', list },
    optional: true,
    ...(list === 'priority' ? { sorts: tests } : {}),
    about: `The ${classifications[list].singular}.`,
    example: `${name}:${[first, second].filter(Boolean).join()}`,
  };
});

/**
 * The fields of the query language. The check of a query, docs/query.md, completion and the texts of errors read this table; a new
 * field is one entry here and one condition in query-condition-store.ts.
 */
export const queryFields: readonly Field[] = [
  { name: 'id', scopes: all, type: number, sorts: all, about: 'The id.', example: 'id:12,40..60' },
  {
    name: 'name',
    alsoCalled: ['title', 'summary'],
    scopes: all,
    type: text,
    sorts: all,
    about: 'A part of the name; with = the whole name.',
    example: 'name:login',
  },
  {
    name: 'section',
    alsoCalled: ['folder', 'suite', 'path', 'component'],
    scopes: tests,
    type: { kind: 'record', list: 'section' },
    optional: true,
    about: 'The section and all below it, by name, path or id; with = that section alone.',
    example: 'section:"Checkout > Payment"',
  },
  ...classified,
  {
    name: 'squad',
    alsoCalled: ['team'],
    scopes: tests,
    type: { kind: 'record', list: 'squad' },
    optional: true,
    about: 'The squad.',
    example: 'squad:Payments',
  },
  {
    name: 'label',
    alsoCalled: ['tag', 'tags'],
    scopes: tests,
    type: { kind: 'record', list: 'label' },
    optional: true,
    about: 'One of the labels.',
    example: 'label:smoke,checkout',
  },
  {
    name: 'created',
    scopes: all,
    type: date,
    sorts: ['runs'],
    about: 'When it was created.',
    example: 'created:7d',
  },
  {
    name: 'updated',
    alsoCalled: ['changed', 'modified'],
    scopes: tests,
    type: date,
    sorts: tests,
    about: 'When the test was last changed.',
    example: 'updated:>=2026-11-01',
  },
  {
    name: 'created-by',
    alsoCalled: ['author', 'creator', 'owner'],
    scopes: all,
    type: person,
    about: 'Who created it.',
    example: 'created-by:me',
  },
  {
    name: 'updated-by',
    alsoCalled: ['editor', 'changed-by'],
    scopes: tests,
    type: person,
    optional: true,
    about: 'Who last changed the test.',
    example: 'updated-by:ann@example.org',
  },
  {
    name: 'has',
    scopes: tests,
    type: words('steps', 'description', 'section', 'label', 'squad'),
    about: 'What is filled in.',
    example: '-has:steps',
  },
  {
    name: 'last',
    alsoCalled: ['status', 'state', 'result', 'outcome', 'verdict'],
    scopes: tests,
    type: words(...testStatuses, 'none'),
    about: 'The last result in any run.',
    example: 'last:failed,blocked',
  },
  {
    name: 'last-run',
    alsoCalled: ['ran', 'executed'],
    scopes: tests,
    type: date,
    optional: true,
    sorts: tests,
    about: 'When the last result was reported.',
    example: 'last-run:<2026-11-01',
  },
  {
    name: 'failed',
    alsoCalled: ['failures'],
    scopes: tests,
    type: number,
    sorts: tests,
    about: 'How many of the last 20 results are failures.',
    example: 'failed:>=2',
  },
  {
    name: 'passed',
    scopes: tests,
    type: number,
    about: 'How many of the last 20 results are passes.',
    example: 'passed:>=10',
  },
  {
    name: 'since',
    alsoCalled: ['within', 'window'],
    scopes: tests,
    type: date,
    about: 'Which results failed:, passed: and runs: of this query count, instead of the last 20.',
    example: 'failed:>=2 since:7d',
  },
  {
    name: 'flaky',
    scopes: tests,
    type: words('yes', 'no'),
    about: 'Whether the last 20 results change between passed and failed, although the test was not changed.',
    example: 'flaky:yes',
  },
  {
    name: 'runs',
    scopes: tests,
    type: number,
    about: 'In how many runs it has a result.',
    example: 'runs:0',
  },
  {
    name: 'in-run',
    alsoCalled: ['run'],
    scopes: tests,
    type: { kind: 'record', list: 'run' },
    about: 'In this run, by id.',
    example: 'in-run:12',
  },
  {
    name: 'not-in-run',
    scopes: tests,
    type: { kind: 'record', list: 'run' },
    about: 'Not in this run.',
    example: 'not-in-run:12',
  },
  {
    name: 'failed-in',
    scopes: tests,
    type: { kind: 'record', list: 'run' },
    about: 'Failed in this run, by id; twice for both of two runs.',
    example: 'failed-in:12',
  },
  {
    name: 'is',
    scopes: ['tests'],
    type: words('deleted'),
    about: 'Deleted tests, which are left out otherwise.',
    example: 'is:deleted',
  },
  {
    name: 'status',
    alsoCalled: ['state', 'last', 'result'],
    scopes: ['run-tests'],
    type: words(...testStatuses),
    about: 'The result in this run.',
    example: 'status:failed,blocked',
  },
  {
    name: 'by',
    alsoCalled: ['assignee', 'reporter', 'tester'],
    scopes: ['run-tests'],
    type: person,
    optional: true,
    about: 'Who reported the result in this run.',
    example: 'by:me',
  },
  {
    name: 'status',
    alsoCalled: ['state'],
    scopes: ['runs'],
    type: words('active', 'locked'),
    about: 'Whether it takes results.',
    example: 'status:active',
  },
  {
    name: 'key',
    alsoCalled: ['automation-key', 'alias', 'classname'],
    scopes: tests,
    type: text,
    about: 'A part of an automation key, by which results of pipelines find the test; with = the whole key.',
    example: 'key:"cart.test.ts > adds"',
  },
  {
    name: 'duration',
    alsoCalled: ['time', 'took'],
    scopes: tests,
    type: duration,
    optional: true,
    about: 'How long its last result took, if a pipeline reported it.',
    example: 'duration:>=2s',
  },
  {
    name: 'branch',
    scopes: ['runs'],
    type: text,
    about: 'A part of the branch whose results a pipeline uploaded; with = the whole name.',
    example: 'branch:=main',
  },
  {
    name: 'commit',
    alsoCalled: ['sha', 'revision'],
    scopes: ['runs'],
    type: text,
    about: 'The beginning of the commit whose results a pipeline uploaded.',
    example: 'commit:1a2b3c4',
  },
  { name: 'has', scopes: ['runs'], type: words('failed'), about: 'What it contains.', example: 'has:failed' },
  {
    name: 'progress',
    scopes: ['runs'],
    type: number,
    about: 'The percentage of its tests that passed, failed or are blocked.',
    example: 'progress:<100',
  },
];

export type QueryField = Field;

export const fieldsIn = (scope: QueryScope): readonly QueryField[] =>
  queryFields.filter(({ scopes }) => scopes.includes(scope));

/** What lists the values of a field. */
export const toolOf = (list: NamedList): string =>
  list === 'section'
    ? 'get-sections'
    : list === 'squad'
      ? 'get-squads'
      : list === 'label'
        ? 'get-labels'
        : list === 'run'
          ? 'get-runs'
          : classifications[list].tool;
