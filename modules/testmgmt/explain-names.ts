import { and, asc, eq, gt, inArray, isNull, sql } from 'drizzle-orm';
import type { Query } from '../../core/db/db.ts';
import type { Context } from '../../core/host.ts';
import { nearest } from '../../core/nearest.ts';
import { nextTurn, turnIsOver } from '../../core/turns.ts';
import { organizationsOf, pageOfMembers } from '../auth/index.ts';
import { nameKey } from './name-key.ts';
import { everyName } from './names.ts';
import { optionsOf } from './options.ts';
import { visibleProject } from './projects.ts';
import { runOf } from './runs.ts';
import { labels, projects, runs, squads, tests, type OptionKind } from './schema.ts';
import { sectionPath } from './section-tree.ts';
import { sectionsOf } from './sections.ts';
import { split } from './test-table.ts';
import { testById } from './tests.ts';

/*
 * People and agents give names where ids are asked for. The refusal then says which tool lists the ids and, where one record the
 * caller may see has that name, its id. Names are answered as they are stored, never as they were sent.
 */

interface Named {
  readonly id: number;
  readonly name: string;
}

/** What can be named: all of them where they are few, those of this name where they may be many. */
type LookUp = (where: Place, name: string) => Promise<readonly Named[]>;

interface Place {
  readonly ctx: Context;
  readonly q: Query;
  /** The project of the call, if it names one that the caller may see. */
  readonly projectId: number | undefined;
}

interface Listing {
  readonly tool: string;
  readonly lookUp: LookUp;
}

const ofProject =
  (lookUp: (where: Place, projectId: number, name: string) => Promise<readonly Named[]>): LookUp =>
  async (where, name) =>
    where.projectId === undefined ? [] : lookUp(where, where.projectId, name);

const option = (kind: OptionKind) => ofProject(({ q }, projectId) => optionsOf(q, projectId, kind));

const namesOf = (table: typeof labels | typeof squads) =>
  ofProject(({ q }, projectId) => everyName(q, table, projectId));

/** Records that one statement looks through. */
const lookedThrough = 1_000;

/** Tests and runs have no index by name: they are gone through in parts, so that a project of 100,000 holds up nobody. */
const scanned = (table: typeof tests | typeof runs) =>
  ofProject(async ({ q, ctx }, projectId, name) => {
    const found: Named[] = [];
    for (let after = 0; ;) {
      const part = await q
        .select({
          id: table.id,
          isNamed: sql<number>`case when lower(${table.name}) = lower(${name.trim()}) then 1 else 0 end`,
        })
        .from(table)
        .where(and(eq(table.projectId, projectId), isNull(table.deletedAt), gt(table.id, after)))
        .orderBy(asc(table.id))
        .limit(lookedThrough);
      for (const { id, isNamed } of part)
        if (Number(isNamed) === 1 && found.length < shownIds) found.push({ id, name });
      const last = part.at(-1);
      if (!last || part.length < lookedThrough) break;
      after = last.id;
      if (turnIsOver()) await nextTurn(ctx.signal);
    }
    if (found.length === 0) return [];
    const ids = found.map(({ id }) => id);
    return q.select({ id: table.id, name: table.name }).from(table).where(inArray(table.id, ids));
  });

const sectionNames: LookUp = ofProject(async ({ q }, projectId, name) => {
  const all = await sectionsOf(q, projectId);
  const path = split(name, '>').map(nameKey);
  if (path.length < 2) return all;
  const byId = new Map(all.map((section) => [section.id, section]));
  return all
    .filter(({ id }) => sectionPath(byId, id).map(nameKey).join('\u0001') === path.join('\u0001'))
    .map(({ id }) => ({ id, name }));
});

const projectNames: LookUp = ({ q, ctx }) =>
  q
    .select({ id: projects.id, name: projects.name })
    .from(projects)
    .where(inArray(projects.orgId, [...ctx.actor.roles.keys()]))
    .orderBy(asc(projects.id))
    .limit(lookedThrough);

/** By name and by e-mail: what people know of each other. */
const people: LookUp = async ({ q, ctx }) => {
  const { rows } = await pageOfMembers(q, [...ctx.actor.roles.keys()], { limit: 500, offset: 0 });
  return rows.flatMap(({ id, name, email }) =>
    [name, email].flatMap((known) => (known === null ? [] : [{ id, name: known }])),
  );
};

const testIds: Listing = { tool: 'get-tests', lookUp: scanned(tests) };
const sections: Listing = { tool: 'get-sections', lookUp: sectionNames };

/** Every parameter that takes ids, at whatever depth it stands. */
export const idParameters: Readonly<Record<string, Listing>> = {
  orgId: { tool: 'get-orgs-list', lookUp: ({ q, ctx }) => organizationsOf(q, ctx.actor.roles) },
  projectId: { tool: 'get-projects', lookUp: projectNames },
  testId: testIds,
  testIds,
  runId: { tool: 'get-runs', lookUp: scanned(runs) },
  sectionId: sections,
  parentSectionId: sections,
  priorityId: { tool: 'get-priority', lookUp: option('priority') },
  typeId: { tool: 'get-type', lookUp: option('type') },
  automationStatusId: { tool: 'get-automation-status', lookUp: option('automationStatus') },
  platformId: { tool: 'get-platforms', lookUp: option('platform') },
  testCoveredById: { tool: 'get-test-covered-by', lookUp: option('testCoveredBy') },
  squadId: { tool: 'get-squads', lookUp: namesOf(squads) },
  labels: { tool: 'get-labels', lookUp: namesOf(labels) },
  userId: { tool: 'get-all-users', lookUp: people },
};

/** How many names of one call are looked up, and how many ids of one name are told. */
const explained = 5;
const shownIds = 5;

/** What a caller of a refused call should know of the names it gave for ids: a sentence for each. */
export async function explainNames(rawInput: unknown, ctx: Context): Promise<string | undefined> {
  const given = namesGiven(rawInput);
  if (given.length === 0) return undefined;
  const { q } = ctx.db;
  const projectId = await projectOf(rawInput, { ctx, q });
  const sentences: string[] = [];
  for (const { parameter, path, name } of given) {
    const listing = idParameters[parameter];
    if (listing) sentences.push(await sentenceOf(listing, { path, name }, { ctx, q, projectId }));
  }
  return sentences.join(' ');
}

interface GivenName {
  readonly parameter: string;
  readonly path: string;
  readonly name: string;
}

/** Texts that stand where ids belong, the first few. */
function namesGiven(input: unknown): readonly GivenName[] {
  const found: GivenName[] = [];
  const note = (parameter: string, path: string, value: unknown) => {
    if (typeof value === 'string' && found.length < explained)
      found.push({ parameter, path, name: value.slice(0, 255) });
  };
  const visit = (record: object, prefix: string, depth: number) => {
    for (const [key, value] of Object.entries(record).slice(0, 100)) {
      if (found.length === explained) return;
      const isId = Object.hasOwn(idParameters, key);
      if (!Array.isArray(value)) {
        if (isId) note(key, prefix + key, value);
        continue;
      }
      for (const [index, item] of value.slice(0, 5_000).entries()) {
        const path = `${prefix}${key}[${index}]`;
        if (isId) note(key, path, item);
        else if (depth === 0 && typeof item === 'object' && item !== null)
          visit(item as object, `${path}.`, 1);
      }
    }
  };
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) visit(input, '', 0);
  return found;
}

/** The project of a call: by its id or its name, else that of the run or the test it is about. */
async function projectOf(input: unknown, { ctx, q }: Omit<Place, 'projectId'>): Promise<number | undefined> {
  const { projectId, runId, testId, tests: items } = input as Record<string, unknown>;
  const visible = async (id: number | undefined) =>
    id !== undefined && (await visibleProject(q, ctx.actor, id, 'read')) ? id : undefined;
  if (isId(projectId)) return visible(projectId);
  if (typeof projectId === 'string') {
    const found = named(await projectNames({ ctx, q, projectId: undefined }, projectId), projectId);
    return found.length === 1 ? found[0]?.id : undefined;
  }
  if (isId(runId)) return visible((await runOf(q, runId))?.projectId);
  const first = Array.isArray(items) ? (items[0] as { testId?: unknown } | null)?.testId : undefined;
  const known = [testId, first].find(isId);
  return known === undefined ? undefined : visible((await testById(q, { id: known }))[0]?.projectId);
}

const isId = (value: unknown): value is number => Number.isSafeInteger(value);

/** Those of this name; an id that has it twice, as name and as e-mail, once. */
function named(all: readonly Named[], name: string): readonly Named[] {
  const key = nameKey(name);
  return [...new Map(all.filter((one) => nameKey(one.name) === key).map((one) => [one.id, one])).values()];
}

async function sentenceOf(
  { tool, lookUp }: Listing,
  { path, name }: Pick<GivenName, 'path' | 'name'>,
  where: Place,
): Promise<string> {
  if (/^\s*\d{1,15}\s*$/.test(name)) return `${path} is a number: write ${Number(name)} without quotes.`;
  const all = await lookUp(where, name);
  const exact = named(all, name);
  const [only] = exact;
  if (only && exact.length === 1)
    return `${path} takes an id, not a name: "${only.name}" is ${only.id} (${tool} lists them).`;
  if (only) {
    const ids = exact.slice(0, shownIds).map(({ id }) => id);
    return `${path} takes an id, and several have this name: ${ids.join(', ')} (${tool} lists them).`;
  }
  const close = nearest(
    name,
    all.slice(0, 500).map((one) => one.name),
  );
  const meant = all.find((one) => one.name === close);
  return meant
    ? `${path} takes an id; did you mean "${meant.name}", which is ${meant.id}? (${tool} lists them.)`
    : `${path} takes an id: use ${tool} to see them.`;
}
