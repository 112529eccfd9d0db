import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asc, eq } from 'drizzle-orm';
import type { Host } from '../core/host/host.ts';
import { listValue } from '../core/db/query/columns.ts';
import { nameKey } from '../core/text/name-key.ts';
import type { Step } from '../modules/testmgmt/base/schema.ts';
import { randomFrom, type Random } from '../test/verify/scale.ts';

/*
 * The data for bench/query.ts: one project of 100,000 tests with natural words, 20 labels, 200 sections and 30 squads, and 40 runs of
 * 25,000 tests each, which makes 1,000,000 results.
 */
export const size = {
  tests: Number(process.env['TRIVET_QUERY_TESTS'] ?? 100_000),
  runs: 40,
  labels: 20,
  squads: 30,
  areas: 20,
  parts: 9,
} as const;

/** Most frequent first: the n-th word occurs about 1/n as often as the first. */
const words =
  `the a to is and of in user page with opens shows button for order not on after list from by that can
  click email message error name login checkout payment card cart item price total address account password profile
  settings search filter result save cancel delete create update upload download file image report export import
  customer product shipping delivery invoice refund coupon discount currency tax country language date time zone
  calendar notification reminder session cookie token timeout retry network offline sync backup restore archive
  admin role permission group team member invite comment reply like share follow message channel thread video
  audio camera microphone screen keyboard mouse scroll drag drop resize zoom rotate crop print scan barcode
  wallet balance transfer deposit withdrawal statement subscription renewal trial plan upgrade downgrade quota
  limit usage billing contract signature document template version history draft review approve reject publish
  stock warehouse supplier purchase return exchange warranty repair ticket queue priority escalation chat agent
  dashboard chart table column row sort page header footer sidebar menu tooltip modal banner toast badge icon
  accessibility contrast font theme dark light layout mobile tablet desktop browser safari firefox chrome android
  latency throughput cache index replica shard migration rollback deploy release canary feature flag experiment`
    .split(/\s+/)
    .filter((word) => word !== '');

/** Half of the words are frequent; the other half are thousands of rare words, as in the texts of any product. */
const word = (random: Random): string => {
  const base =
    random.below(2) === 0
      ? (words[Math.floor(words.length ** (random.below(10_000) / 10_000)) - 1] ?? 'user')
      : rareWord(Math.floor(4_000 ** (random.below(10_000) / 10_000)));
  return base + (random.below(6) === 0 ? random.pick(['s', 'ed', 'ing', 'able']) : '');
};

const syllables = [
  'ka',
  'lo',
  'mi',
  'ne',
  'ru',
  'sa',
  'ti',
  'vo',
  'de',
  'pla',
  'gra',
  'ster',
  'ven',
  'cor',
  'bit',
  'tron',
];

/** The n-th of many words; deterministic. */
const rareWord = (n: number): string =>
  [n, n >> 4, n >> 8, n * 7].map((part) => syllables[part % syllables.length] ?? '').join('');

const sentence = (random: Random, count: number): string => {
  const text = Array.from({ length: count }, () => word(random)).join(' ');
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
};

const steps = (random: Random): readonly Step[] =>
  random.below(5) === 0
    ? []
    : Array.from({ length: 2 + random.below(3) }, () => ({
        action: sentence(random, 7),
        expected: sentence(random, 6),
      }));

/** The columns of a test that is searched by its marks. */
const changed = (updatedAt: number) => ({ updatedAt, markedAt: updatedAt });

const begun = Date.UTC(2026, 9, 1);
const minute = 60_000;

/** Runs SQL statements that are the same on both engines. */
export type RunSql = (text: string) => Promise<void>;

/** @returns the id of the project. `now` is the time of its last result. */
export async function fillProject({ db }: Pick<Host, 'db'>, run: RunSql, me: number): Promise<void> {
  const schema = await import('../modules/testmgmt/base/schema.ts');
  const { openMarks } = await import('../modules/testmgmt/query/query-mark-store.ts');
  const { classificationValues, labels, sections, squads, testLabels, tests } = schema;
  const random = randomFrom(7);
  const projectId = 1;
  const named = (name: string) => ({ projectId, name, nameKey: nameKey(name) });
  const createdAt = begun;
  await db.tx(async (q) => {
    const labelNames = ['smoke', 'regression', 'slow', 'needs review'];
    await q
      .insert(labels)
      .values(Array.from({ length: size.labels }, (_, n) => named(labelNames[n] ?? `label ${n}`)));
    await q
      .insert(squads)
      .values(Array.from({ length: size.squads }, (_, n) => named(n === 0 ? 'Payments' : `Squad ${n}`)));
    for (let area = 0; area < size.areas; area++) {
      const name = area === 0 ? 'Checkout' : `Area ${area}`;
      const [top] = await q.insert(sections).values({ projectId, name, createdAt }).returning();
      await q.insert(sections).values(
        Array.from({ length: size.parts }, (_, n) => ({
          projectId,
          parentId: top?.id ?? 0,
          name: n === 0 ? 'Payment' : `Part ${n}`,
          createdAt,
        })),
      );
    }
  });
  const ids = async (table: typeof labels | typeof squads | typeof sections) =>
    (
      await db.q
        .select({ id: table.id })
        .from(table as typeof labels)
        .where(eq(table.projectId, projectId))
        .orderBy(asc(table.id))
    ).map(({ id }) => id);
  const [labelIds, squadIds, sectionIds] = [await ids(labels), await ids(squads), await ids(sections)];
  const values = await db.q
    .select()
    .from(classificationValues)
    .where(eq(classificationValues.projectId, projectId))
    .orderBy(asc(classificationValues.id));
  const someOf = (kind: string) => {
    const known = values.filter((value) => value.kind === kind).map(({ id }) => id);
    return () => (random.below(12) === 0 ? null : random.pick(known));
  };
  const [priority, type, automation] = [someOf('priority'), someOf('type'), someOf('automationStatus')];
  const [platform, coveredBy] = [someOf('platform'), someOf('testCoveredBy')];
  for (let from = 0; from < size.tests; from += 500) {
    const rows = Array.from({ length: Math.min(500, size.tests - from) }, (_, n) => ({
      id: from + n + 1,
      projectId,
      name: `${sentence(random, 4)} ${from + n}`,
      description: random.below(4) === 0 ? '' : sentence(random, 20),
      preconditions: '',
      steps: steps(random),
      sectionId: random.below(20) === 0 ? null : random.pick(sectionIds),
      priorityId: priority(),
      typeId: type(),
      automationStatusId: automation(),
      platformId: platform(),
      testCoveredById: coveredBy(),
      squadId: random.below(10) === 0 ? null : random.pick(squadIds),
      createdBy: random.below(3) === 0 ? me : me + 1 + random.below(5),
      createdAt: begun + (from + n) * 100,
      updatedBy: random.below(3) === 0 ? me : me + 1 + random.below(5),
      ...changed(begun + random.below(51 * 24 * 60) * minute),
      deletedAt: random.below(50) === 0 ? begun : null,
    }));
    // The first label is on every fifth test, the last on few.
    const links = rows.flatMap(({ id }) =>
      labelIds.flatMap((labelId, n) => (random.below(5 * (n + 1)) === 0 ? [{ testId: id, labelId }] : [])),
    );
    await db.tx(async (q) => {
      await q.insert(tests).values(rows);
      await openMarks(q, { ids: listValue(rows.map(({ id }) => id)) });
      await q.insert(testLabels).values(links);
    });
  }
  for (const text of statements(me)) await run(text);
}

/** A pseudo-random number from 0 to 999 for a test and a run. */
const chance = (run: string) => `((t.id * 7919 + ${run} * 104729 + t.id * ${run} * 31) % 1000)`;

/** The id of a test determines how often it fails: most never do, some alternate. */
const statements = (me: number): readonly string[] => [
  ...Array.from({ length: size.runs }, (_, n) => {
    const at = begun + n * 36 * 60 * minute;
    const locked = n < size.runs / 2 ? `${me}, ${at + minute}` : 'null, null';
    return `INSERT INTO testmgmt_runs (id, project_id, name, description, created_by, created_at, locked_by, locked_at)
      VALUES (${n + 1}, 1, '${n % 5 === 0 ? 'Release' : 'Nightly'} ${n + 1}', '', ${n % 2 === 0 ? me : me + 1}, ${at}, ${locked})`;
  }),
  // In the order in which they were reported.
  ...Array.from({ length: size.runs }, (_, n) => {
    const id = n + 1;
    return `INSERT INTO testmgmt_run_tests (run_id, test_id, status, comment, updated_by, updated_at)
      SELECT ${id}, t.id, CASE WHEN ${chance(`${id}`)} < (CASE WHEN t.id % 10 = 0 THEN 400 ELSE 10 END) THEN 'failed'
        WHEN ${chance(`${id}`)} > 985 THEN 'blocked' WHEN ${chance(`${id}`)} > 970 THEN 'untested' ELSE 'passed' END,
        CASE WHEN t.id % 10 = 0 THEN 'build ${id}' END, ${me} + t.id % 3, ${begun + n * 36 * 60 * minute} + t.id
      FROM testmgmt_tests t WHERE (t.id + ${Math.floor(n / 2)}) % 4 = 0 AND t.id % 13 <> 1`;
  }),
  `INSERT INTO testmgmt_results (run_id, test_id, status, comment, by_user, at)
    SELECT run_id, test_id, status, comment, updated_by, updated_at FROM testmgmt_run_tests
    WHERE status <> 'untested' ORDER BY run_id, test_id`,
  `UPDATE testmgmt_run_tests SET updated_by = NULL, updated_at = NULL WHERE status = 'untested'`,
  ...['passed', 'failed', 'blocked', 'retest', 'untested'].map(
    (status) => `UPDATE testmgmt_runs SET ${status} =
      (SELECT count(*) FROM testmgmt_run_tests WHERE run_id = testmgmt_runs.id AND status = '${status}')`,
  ),
  `UPDATE testmgmt_projects SET runs_count = ${size.runs},
    tests_count = (SELECT count(*) FROM testmgmt_tests WHERE deleted_at IS NULL)`,
  countResults(),
];

/** The migration's statement that counts results by test: counting 1,000,000 one by one would take too long. */
function countResults(): string {
  const file = join(import.meta.dir, '../drizzle/sqlite/0013_testmgmt_outcomes.sql');
  const text = readFileSync(file, 'utf8');
  const from = text.indexOf('INSERT INTO testmgmt_outcomes');
  return text.slice(from, text.indexOf(';', from)).replace(/--> statement-breakpoint/g, '');
}
