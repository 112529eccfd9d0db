import { bool, id, int, table, text, time } from '../../../core/db/query/columns.ts';
import type { Query } from '../../../core/db/query/db.ts';
import type { Random } from '../../../test/verify/scale.ts';
import { nameKey } from '../../../core/text/name-key.ts';
import { automationKeys, reportedResults } from '../base/pipeline-schema.ts';
import {
  classificationValues,
  labels,
  outcomes,
  runs,
  runTests,
  sections,
  squads,
  testLabels,
  tests,
} from '../base/schema.ts';
import { modelWords, type ModelOutcome, type ModelTest, type ModelWorld } from './query-model.ts';

/** The columns of Area A's own tables that a person needs. */
const users = table('auth_users', {
  id: id('id'),
  issuer: text('issuer').notNull(),
  subject: text('subject').notNull(),
  provider: text('provider').notNull(),
  email: text('email'),
  emailVerified: bool('email_verified').notNull(),
  status: text('status').notNull(),
  createdAt: time('created_at').notNull(),
});
const members = table('auth_members', {
  orgId: int('org_id').notNull(),
  userId: int('user_id').notNull(),
  role: text('role').notNull(),
  createdAt: time('created_at').notNull(),
});

const day = 86_400_000;
const statuses = ['passed', 'failed', 'blocked', 'retest', 'untested'] as const;

/** A random project in the database, and the same data as arrays. The texts of steps contain no step keys. */
export async function makeWorld(
  q: Query,
  random: Random,
  { projectId, me, now, count }: { projectId: number; me: number; now: number; count: number },
): Promise<{ readonly world: ModelWorld; readonly tests: readonly ModelTest[] }> {
  const other = await makePerson(q, `ann.${crypto.randomUUID()}@example.org`, now);
  const mail = `me.${crypto.randomUUID()}@example.org`;
  const people = [other, await makePerson(q, mail, now), { id: me, email: '' }].filter(({ email }) => email);
  const places = await makeSections(q, projectId, now);
  const squadRows = await q
    .insert(squads)
    .values(['Payments', 'Core team'].map((name) => ({ projectId, name, nameKey: nameKey(name) })))
    .returning();
  const labelRows = await q
    .insert(labels)
    .values(
      ['smoke', 'Checkout', 'needs review', 'größe'].map((name) => ({
        projectId,
        name,
        nameKey: nameKey(name),
      })),
    )
    .returning();
  const valueRows = await q.select().from(classificationValues);
  const valuesOf = (kind: string) =>
    valueRows.filter((row) => row.projectId === projectId && row.kind === kind);
  const runRows = await q
    .insert(runs)
    .values(
      [1, 2].map((n) => ({ projectId, name: `run ${n}`, description: '', createdBy: me, createdAt: now })),
    )
    .returning();

  const some = <T>(from: readonly T[]): T | null => (random.below(3) === 0 ? null : random.pick(from));
  const words = () => Array.from({ length: random.below(4) }, () => random.pick(modelWords)).join(' ');
  const time = () => now - random.below(12 * 24) * (day / 24) - random.below(2) * 1_234;
  const made: ModelTest[] = [];
  for (let n = 0; n < count; n++) {
    const [place, squad] = [some(places), some(squadRows)];
    const [priority, automation] = [some(valuesOf('priority')), some(valuesOf('automationStatus'))];
    const steps = Array.from({ length: random.below(3) }, () => ({ action: words(), expected: words() }));
    const createdBy = random.pick([me, ...people.map(({ id }) => id)]);
    const updatedBy = random.below(3) === 0 ? null : random.pick([me, other.id]);
    const row = {
      name: `${words()} ${n}`,
      description: words(),
      createdBy,
      updatedBy,
      createdAt: time(),
      updatedAt: time(),
    };
    const [test] = await q
      .insert(tests)
      .values({
        ...row,
        projectId,
        preconditions: '',
        steps,
        sectionId: place?.id ?? null,
        squadId: squad?.id ?? null,
        priorityId: priority?.id ?? null,
        automationStatusId: automation?.id ?? null,
        deletedAt: random.below(10) === 0 ? now : null,
      })
      .returning();
    if (!test) throw new Error('the test was not stored');
    const labelled = labelRows.filter(() => random.below(3) === 0);
    const inRuns = runRows.filter(() => random.below(3) === 0);
    for (const { id } of labelled) await q.insert(testLabels).values({ testId: test.id, labelId: id });
    for (const { id } of inRuns)
      await q.insert(runTests).values({ runId: id, testId: test.id, status: 'untested' });
    const outcome = random.below(4) === 0 ? null : randomOutcome(random, time());
    const lastRunId = random.pick(runRows).id;
    if (outcome !== null)
      await q.insert(outcomes).values({
        testId: test.id,
        projectId,
        lastStatus: outcome.status as (typeof statuses)[number],
        lastAt: outcome.at,
        lastBy: me,
        lastRunId,
        lastResultId: 1,
        firstResultId: 1,
        changedAfter: 0,
        recent: '',
        failed: outcome.failed,
        flips: outcome.flips,
        runs: outcome.runs,
        streak: 0,
      });
    const key = random.below(2) === 0 ? null : `suite > ${words()} ${n}`;
    if (key !== null)
      await q.insert(automationKeys).values({
        projectId,
        keyHash: key,
        key,
        nameFrom: 0,
        nameTo: key.length,
        testId: test.id,
        isAlias: random.below(4) === 0,
        createdBy: me,
        createdAt: now,
      });
    const durations = inRuns.map(() => random.below(5) * 500);
    for (const [at, { id }] of inRuns.entries())
      await q.insert(reportedResults).values({
        runId: id,
        testId: test.id,
        status: 'passed',
        durationUs: (durations[at] ?? 0) * 1_000,
        flaky: false,
        attempts: [],
      });
    made.push({
      ...row,
      id: test.id,
      steps: steps.flatMap(({ action, expected }) => [action, expected]),
      section: place?.path ?? null,
      squad: squad?.name ?? null,
      priority: priority?.name ?? null,
      automation: automation?.name ?? null,
      labels: labelled.map(({ name }) => name),
      deleted: test.deletedAt !== null,
      outcome,
      runs: inRuns.map(({ id }) => id),
      key,
      durationMs: outcome ? (durations[inRuns.findIndex(({ id }) => id === lastRunId)] ?? null) : null,
    });
  }
  const named = (rows: ReadonlyArray<{ readonly name: string }>) => rows.map(({ name }) => name);
  return {
    tests: made,
    world: {
      now,
      me,
      people,
      sections: places.map(({ path }) => path),
      labels: named(labelRows),
      squads: named(squadRows),
      priorities: named(valuesOf('priority')),
      automations: named(valuesOf('automationStatus')),
      runs: runRows.map(({ id }) => id),
      ids: made.map(({ id }) => id),
    },
  };
}

async function makePerson(q: Query, email: string, now: number) {
  const [user] = await q
    .insert(users)
    .values({
      issuer: 'test',
      subject: email,
      provider: 'test',
      email,
      emailVerified: true,
      status: 'active',
      createdAt: now,
    })
    .returning();
  if (!user) throw new Error('the user was not stored');
  await q.insert(members).values({ orgId: 1, userId: user.id, role: 'member', createdAt: now });
  return { id: user.id, email };
}

/** A tree in which one name occurs twice. */
async function makeSections(q: Query, projectId: number, createdAt: number) {
  const tree = [
    ['Checkout'],
    ['Checkout', 'Payment'],
    ['Checkout', 'Payment', 'Refunds'],
    ['Account'],
    ['Account', 'Payment'],
  ];
  const made: { id: number; path: readonly string[] }[] = [];
  for (const path of tree) {
    const parentId = made.find((each) => each.path.join() === path.slice(0, -1).join())?.id ?? null;
    const [row] = await q
      .insert(sections)
      .values({ projectId, parentId, name: path.at(-1) ?? '', createdAt })
      .returning();
    if (row) made.push({ id: row.id, path });
  }
  return made;
}

const randomOutcome = (random: Random, at: number): ModelOutcome => ({
  status: random.pick(statuses),
  at,
  failed: random.below(5),
  flips: random.below(5),
  runs: random.below(4),
});
