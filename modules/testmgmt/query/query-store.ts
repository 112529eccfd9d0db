import { and, desc, eq, exists, isNull, sql, type SQL } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Actor } from '../../../core/base/actor.ts';
import { countRows } from '../../../core/db/query/columns.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { didYouMean } from '../../../core/text/nearest-word.ts';
import { fail } from '../base/errors.ts';
import { valuesOf } from '../metadata/classification-store.ts';
import { everyName } from '../metadata/label-store.ts';
import { pathText, sectionPath } from '../rules/section-tree.ts';
import { configurationValues, milestones, plans } from '../base/planning-schema.ts';
import { labels, projects, runs, sections, squads } from '../base/schema.ts';
import type { NamedList, QueryScope } from './field-kinds/field-value.ts';
import type { Reference } from './field-kinds/query-field.ts';
import { QueryProblem } from './field-kinds/query-term.ts';
import { isOwnField, ownReference } from './fields/own-field.ts';
import { toolOf } from './field-kinds/record-field.ts';
import { checkQuery, conditionsOf, type CheckedQuery, type Condition, type SortKey } from './query-check.ts';
import { conditionSql } from './query-condition-store.ts';
import { driverOf, wordOf } from './query-driver.ts';
import { searchedText } from '../../../core/text/letter-case.ts';
import { nameOfSection, peopleCalled, type IdRange, type QueryPlace } from './query-place-store.ts';
import { ownFieldNamed } from './query-own-field-store.ts';
import { recordIds, sectionsThen } from './query-record-store.ts';
import { fieldSql, rowSql } from './query-sql-store.ts';
import { parseQuery } from './query-syntax.ts';

/** Rows with one condition that one statement may examine: about 10 ms on SQLite. */
const cheapRows = 12_000;

/** The cost of a condition per row, in units of comparing one column (measured on SQLite, 250 characters of text). */
const plainCost = (each: Condition): number => (each.kind === 'search' ? 12 : (each.asks.cost ?? 1));

/** Letters beyond ASCII of one query whose case is to be ignored: each is replaced in each text, which may have 100,000 characters. */
const mostFolded = 300;

/** The texts with which a condition compares those of each row. */
const textsOf = (each: Condition): readonly string[] =>
  each.kind === 'search' ? [each.word] : (each.asks.cost ?? 1) > 1 ? each.texts : [];

// eslint-disable-next-line no-control-regex
const isAscii = (text: string): boolean => /^[\u0000-\u007f]*$/.test(text);

/** @throws Fault QUERY_TOO_EXPENSIVE. */
function costOfAll(conditions: readonly Condition[]): number {
  let [cost, folded] = [0, 0];
  for (const each of conditions) {
    const texts = textsOf(each).filter((text) => !isAscii(text));
    const pairs = texts.reduce((sum, text) => sum + searchedText(text).pairs.length, 0);
    cost += plainCost(each) * (1 + pairs);
    folded += pairs;
  }
  if (folded <= mostFolded) return cost;
  throw fail.QUERY_TOO_EXPENSIVE('The query has too many words with letters beyond ASCII.', {
    cause: 'query',
    tip: 'Use fewer of them.',
  });
}

/** A query that is ready to run. */
export interface AskedQuery {
  /**
   * The rows that it selects from those of query-source-store.ts; undefined for all. The caller adds the project, and whether deleted tests
   * count.
   * @param options `driven`: the condition that {@link hasFewRows} examined finds the rows; `range`: examines only these ids.
   */
  where(q: Query, options?: { readonly driven?: boolean; readonly range?: IdRange }): SQL | undefined;
  /** Whether rows in a range are found by the marks of a word that all of them contain. */
  readonly usesMarks: boolean;
  /** Rows that one statement may examine before it is known how long they take. */
  readonly rowsAtOnce: number;
  /** Whether the index of one condition leaves so few rows that one statement may examine all of them. Absent: no index finds its rows. */
  hasFewRows?(q: Query): Promise<boolean>;
  /** The order given by `sort:`, without a final tie-break; empty without `sort:`. */
  readonly sort: readonly SortValue[];
  /** Whether it compares or sorts by the summary of a test's results. */
  readonly readsOutcomes: boolean;
  /** The time of the asked state, in epoch milliseconds; null: now. */
  readonly asOf: number | null;
  /** Whether it asks for deleted tests, which are excluded otherwise. */
  readonly seesDeleted: boolean;
  /**
   * Checks that the records and people that it names exist: an unknown name would select nothing without saying why. One statement, which
   * may run concurrently with the query.
   * @throws Fault INVALID_QUERY with the nearest name.
   */
  requireNames(q: Query): Promise<void>;
  /** As of a time, before its statements: the same query with the sections that it names looked up. */
  inItsTime?(q: Query): Promise<AskedQuery>;
}

export interface SortValue {
  readonly value: SQL;
  /** It may be null; nulls come last in both directions. */
  readonly optional: boolean;
  readonly descending: boolean;
}

interface Asking {
  readonly scope: QueryScope;
  readonly projectId: number;
  readonly now: number;
  /** An additional query of our own. */
  readonly also?: string;
  /** Only for callers that can ask as of a time: the parameter `asOf`, in epoch milliseconds; null: now. */
  readonly asOf?: number | null;
}

/** Reads a query. @throws Fault INVALID_QUERY with the position of the mistake and its remedy. */
export function askQuery(
  text: string,
  actor: Actor,
  { now, also, asOf: given, ...asked }: Asking,
): AskedQuery {
  const own = checkedQuery(text, asked, now, given);
  const checked = also === undefined ? own : both(checkedQuery(also, asked, now, given), own);
  const { asOf } = checked;
  const conditions = conditionsOf(checked.where);
  // Indexes and marks are those of the present state.
  const driver = asOf === null ? driverOf(checked.where) : undefined;
  const word = asked.scope === 'tests' && asOf === null ? wordOf(checked.where) : undefined;
  const place: QueryPlace = { ...asked, now, actor, ...(asOf === null ? {} : { asOf }) };
  return askedIn(place, { ...checked, conditions, driver, word });
}

/** A query in its place. */
function askedIn(
  place: QueryPlace,
  checked: CheckedQuery & {
    readonly conditions: readonly Condition[];
    readonly driver: Condition | undefined;
    readonly word: Condition | undefined;
  },
): AskedQuery {
  const { asOf, conditions, driver, word } = checked;
  const cost = costOfAll(conditions);
  const fields = [
    ...conditions.flatMap((each) => (each.kind === 'field' ? [each.field] : [])),
    ...checked.sort.map(({ field }) => field),
  ];
  const index = driver?.kind === 'field' ? driver.asks.index : undefined;
  return {
    where: (q, { driven = false, range } = {}) => {
      if (checked.where === null) return undefined;
      const there: QueryPlace = {
        ...place,
        ...(driven && driver ? { driver } : {}),
        ...(range ? { range, ...(word ? { driver: word } : {}) } : {}),
      };
      return conditionSql(fieldSql(q, there), checked.where, there);
    },
    usesMarks: word !== undefined,
    rowsAtOnce: Math.max(1, Math.floor(cheapRows / Math.max(1, cost))),
    ...(index && {
      hasFewRows: async (q: Query) => {
        const most = Math.ceil(cheapRows / cost);
        const testIds = index.testIds(fieldSql(q, place));
        const found = sql`(${testIds} limit ${most}) as driving`;
        const [counted] = await q.select({ rows: countRows() }).from(found as unknown as SQLiteTable);
        return (counted?.rows ?? 0) < most;
      },
    }),
    sort: checked.sort.flatMap(({ field: { sort }, descending }) =>
      sort
        ? [sort.value(rowSql(place))]
            .flat()
            .map((value) => ({ value: value as SQL, optional: sort.optional ?? false, descending }))
        : [],
    ),
    readsOutcomes: fields.some((field) => field.readsOutcomes),
    asOf,
    seesDeleted: conditions.some((each) => each.kind === 'field' && each.asks.seesDeleted === true),
    requireNames: (q) => requireNames(q, referencesIn(conditions, checked.sort), place),
    ...(asOf !== null && {
      inItsTime: async (q: Query) => {
        const names = referencesIn(conditions, checked.sort).filter(({ list }) => list === 'section');
        const then = await sectionsThen(q, names, place.projectId, asOf);
        return askedIn({ ...place, sectionsThen: then }, checked);
      },
    }),
  };
}

/** The conjunction of both queries, in the order of the second. */
function both(one: CheckedQuery, other: CheckedQuery): CheckedQuery {
  const nodes = [one.where, other.where].filter((node) => node !== null);
  return { ...other, where: nodes.length === 0 ? null : { kind: 'and', nodes } };
}

/** The optional query of a tool. @throws Fault INVALID_QUERY. */
export const askIfGiven = (text: string | undefined, actor: Actor, asking: Asking) =>
  text === undefined ? undefined : askQuery(text, actor, asking);

function checkedQuery(
  text: string,
  { scope }: Pick<Asking, 'scope'>,
  now: number,
  asOf: number | null | undefined,
): CheckedQuery {
  try {
    const parsed = parseQuery(text);
    if (parsed.asOf && scope === 'tests' && asOf === undefined)
      throw new QueryProblem(
        '"as-of:" does not work here: it only reads.',
        parsed.asOf.at,
        'Use it in get-tests, get-tests-count and download-tests.',
      );
    const checked = checkQuery(parsed, scope, now, { asOf: asOf ?? null });
    if (parsed.asOf && typeof asOf === 'number' && checked.asOf !== asOf)
      throw new QueryProblem('"as-of:" and asOf are two times.', parsed.asOf.at, 'Give one of them.');
    return checked;
  } catch (error) {
    throw error instanceof QueryProblem ? faultOf(error, text) : error;
  }
}

/** @param text the query. The error contains the probably intended query, so that a model need not work it out. */
function faultOf({ message, at, remedy, meant, instead }: QueryProblem, text = '') {
  const whole =
    meant ??
    (instead && `${text.slice(0, at - 1)}${instead.text}${text.slice(at - 1 + instead.word.length)}`);
  const tip = whole === undefined ? remedy : `${remedy} The whole query then: ${whole || '(none)'}`;
  return fail.INVALID_QUERY(`The query is wrong at character ${at}: ${message}`, { cause: 'query', tip });
}

const referencesIn = (conditions: readonly Condition[], sort: readonly SortKey[]): readonly Reference[] => [
  ...conditions.flatMap((each) => (each.kind === 'field' ? (each.asks.names ?? []) : [])),
  ...sort.flatMap(({ field: { name }, at }) => (isOwnField(name) ? [ownReference(name, at)] : [])),
];

async function requireNames(q: Query, names: readonly Reference[], place: QueryPlace): Promise<void> {
  if (names.length === 0) return;
  const { asOf } = place;
  // A section may have been there at the asked time, or be there now.
  const past = asOf === undefined ? [] : names.filter(({ list }) => list === 'section');
  const then = asOf === undefined ? undefined : await sectionsThen(q, past, place.projectId, asOf);
  const wasThere = (name: Reference) => (then?.get(nameOfSection(name))?.itself.length ?? 0) > 0;
  const columns = names.map((name, at) => {
    const found = name.list === 'section' && wasThere(name) ? sql`true` : exists(rowsOf(q, name, place));
    return [`n${at}`, sql<number>`case when ${found} then 1 else 0 end`.mapWith(Number)] as const;
  });
  const [row] = await q
    .select(Object.fromEntries(columns))
    .from(projects)
    .where(eq(projects.id, place.projectId));
  const unknown = names.find((_, at) => row?.[`n${at}`] !== 1);
  // A missing project is reported by the concurrent request that looks it up.
  if (row && unknown) throw await unknownName(q, unknown, place);
}

function rowsOf(q: Query, { list, ...named }: Reference, place: QueryPlace) {
  const { projectId, scope } = place;
  if (list === 'field') return ownFieldNamed(q, projectId, named.text, scope);
  if (list === 'person') return peopleCalled(q, place, named.text);
  if (list !== 'run') return recordIds(q, list, named, projectId);
  const isIt = and(eq(runs.id, named.id ?? 0), eq(runs.projectId, projectId), isNull(runs.deletedAt));
  return q.select({ id: runs.id }).from(runs).where(isIt);
}

async function unknownName(q: Query, { list, text, at, field }: Reference, { projectId, scope }: QueryPlace) {
  if (list === 'person')
    return faultOf(
      new QueryProblem(
        `Nobody here has the ${text.includes('@') ? 'address' : 'name'} "${text}".`,
        at,
        'get-all-users lists the people.',
      ),
    );
  if (list === 'field')
    return faultOf(
      new QueryProblem(
        `Project ${projectId} has no field "${text}" of ${scope === 'tests' ? 'tests' : 'tests or results'}.`,
        at,
        'list-fields lists them.',
      ),
    );
  const remedy = `${toolOf(list)} lists them.`;
  if (list === 'run')
    return faultOf(new QueryProblem(`There is no run ${text} in project ${projectId}.`, at, remedy));
  const guess = didYouMean(text, await namesOf(q, list, projectId), (name) =>
    /^[\w.-]+$/.test(name) ? `${field}:${name}` : `${field}:"${name.replaceAll(/["\\]/g, '\\$&')}"`,
  );
  return faultOf(new QueryProblem(`Project ${projectId} has no ${field} "${text}".${guess}`, at, remedy));
}

/** Names for a suggestion: those of the newest records. */
const suggestedNames = 1_000;

async function namesIn(
  q: Query,
  table: typeof milestones | typeof configurationValues | typeof plans,
  projectId: number,
): Promise<readonly string[]> {
  const rows = await q
    .select({ name: table.name })
    .from(table as typeof milestones)
    .where(eq(table.projectId, projectId))
    .orderBy(desc(table.id))
    .limit(suggestedNames);
  return rows.map(({ name }) => name);
}

/** All names of a list, for the suggestion of a similar name. */
async function namesOf(
  q: Query,
  list: Exclude<NamedList, 'run'>,
  projectId: number,
): Promise<readonly string[]> {
  if (list === 'label' || list === 'squad')
    return (await everyName(q, list === 'label' ? labels : squads, projectId)).map(({ name }) => name);
  if (list === 'milestone') return namesIn(q, milestones, projectId);
  if (list === 'configuration') return namesIn(q, configurationValues, projectId);
  if (list === 'plan') return namesIn(q, plans, projectId);
  if (list !== 'section')
    return (await valuesOf(q, projectId)).filter(({ kind }) => kind === list).map(({ name }) => name);
  const rows = await q
    .select({ id: sections.id, name: sections.name, parentId: sections.parentId })
    .from(sections)
    .where(and(eq(sections.projectId, projectId), isNull(sections.deletedAt)));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return rows.flatMap(({ id, name }) => [name, pathText(sectionPath(byId, id))]);
}
