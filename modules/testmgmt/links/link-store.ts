import { and, asc, eq, gt, inArray, isNull, or, sql } from 'drizzle-orm';
import { nameKey } from '../../../core/text/name-key.ts';
import { partsInTurns } from '../../../core/base/turns.ts';
import { inList, inValues, listValue } from '../../../core/db/query/columns.ts';
import { countedPage, type CountedPage, type Page } from '../../../core/db/query/counted-page.ts';
import { prepared, type Query } from '../../../core/db/query/db.ts';
import { links, type LinkKind } from '../base/evidence-schema.ts';
import { outcomes, projects, tests, type LinkTemplate } from '../base/schema.ts';
import { idsPerQuery, linksPerInsert, rowsPerChange } from '../base/statement-sizes.ts';
import { shownLinkOf, type Link } from './link-record.ts';

/** Most links of a test, or of its result in a run. */
export const maxLinksOfRecord = 50;

const templatesById = prepared<{ id: number }, { linkTemplates: readonly LinkTemplate[] | null }>(
  (q) =>
    q
      .select({ linkTemplates: projects.linkTemplates })
      .from(projects)
      .where(eq(projects.id, sql.placeholder('id'))),
  'testmgmt_link_templates',
);

export const templatesOf = async (q: Query, projectId: number): Promise<readonly LinkTemplate[]> =>
  (await templatesById(q, { id: projectId }))[0]?.linkTemplates ?? [];

const linksOfTests = prepared<{ ids: unknown }, Link>(
  (q) =>
    q
      .select()
      .from(links)
      .where(and(inList(links.testId, 'ids'), isNull(links.runId)))
      .orderBy(asc(links.testId), asc(links.id)),
  'testmgmt_links_of_tests',
);

const linksInRun = prepared<{ ids: unknown; runId: number }, Link>(
  (q) =>
    q
      .select()
      .from(links)
      .where(
        and(
          inList(links.testId, 'ids'),
          or(isNull(links.runId), eq(links.runId, sql.placeholder('runId') as never)),
        ),
      )
      .orderBy(asc(links.testId), asc(links.id)),
  'testmgmt_links_in_run',
);

/** The links of tests, by test, oldest first; with a run, also those of their results in it. */
export async function linksByTest(
  q: Query,
  testIds: readonly number[],
  runId?: number,
): Promise<ReadonlyMap<number, readonly Link[]>> {
  const found = new Map<number, Link[]>();
  for await (const part of partsInTurns(testIds, idsPerQuery)) {
    const ids = listValue(part);
    const rows = await (runId === undefined ? linksOfTests(q, { ids }) : linksInRun(q, { ids, runId }));
    for (const row of rows) found.set(row.testId, [...(found.get(row.testId) ?? []), row]);
  }
  return found;
}

/** The links of tests as their records show them. */
export async function shownLinks(q: Query, projectId: number, testIds: readonly number[], runId?: number) {
  const byTest = await linksByTest(q, testIds, runId);
  const templates = byTest.size === 0 ? [] : await templatesOf(q, projectId);
  return (testId: number) => (byTest.get(testId) ?? []).map((link) => shownLinkOf(link, templates));
}

/** A link that tests are to have. */
export interface NewLink {
  readonly kind: LinkKind;
  readonly key: string;
  readonly url: string | null;
}

export const sameKind = (kind: LinkKind, key: string): string => `${kind} ${nameKey(key)}`;

interface LinkAuthor {
  readonly projectId: number;
  readonly by: number;
  readonly now: number;
  readonly signal: AbortSignal;
}

/** Stores links; the caller has checked that they are not there already. Yields to other requests between its chunks. */
export async function insertLinks(
  q: Query,
  rows: ReadonlyArray<NewLink & { readonly testId: number; readonly runId: number | null }>,
  { projectId, by, now, signal }: LinkAuthor,
): Promise<void> {
  for await (const part of partsInTurns(rows, linksPerInsert / 2, signal))
    await q
      .insert(links)
      .values(part.map((row) => ({ ...row, keyName: nameKey(row.key), projectId, by, at: now })));
}

/** Which links to list. */
interface LinkFilter {
  readonly projectId: number;
  readonly testId?: number | undefined;
  readonly runId?: number | undefined;
  readonly kind?: LinkKind | undefined;
  readonly key?: string | undefined;
}

/** One page of the links of a project, oldest first. */
export const pageOfLinks = (q: Query, of: LinkFilter, page: Page): Promise<CountedPage<Link>> =>
  countedPage(
    q,
    links,
    {
      where: and(
        eq(links.projectId, of.projectId),
        of.testId === undefined ? undefined : eq(links.testId, of.testId),
        of.runId === undefined ? undefined : eq(links.runId, of.runId),
        of.kind === undefined ? undefined : eq(links.kind, of.kind),
        of.key === undefined ? undefined : eq(links.keyName, nameKey(of.key)),
      ),
      orderBy: [asc(links.id)],
    },
    page,
  );

/** The links of these ids that the project has. */
export const linksById = (q: Query, projectId: number, ids: readonly number[]): Promise<readonly Link[]> =>
  q
    .select()
    .from(links)
    .where(and(eq(links.projectId, projectId), inValues(links.id, ids)));

/** The links of tests with a key; with a run, those of their results in it. */
export async function linksWithKey(
  q: Query,
  testIds: readonly number[],
  { key, kind, runId }: { readonly key: string; readonly kind?: LinkKind; readonly runId?: number },
  signal: AbortSignal,
): Promise<readonly Link[]> {
  const found: Link[] = [];
  for await (const ids of partsInTurns(testIds, idsPerQuery, signal))
    found.push(
      ...(await q
        .select()
        .from(links)
        .where(
          and(
            inValues(links.testId, ids),
            eq(links.keyName, nameKey(key)),
            kind === undefined ? undefined : eq(links.kind, kind),
            runId === undefined ? isNull(links.runId) : eq(links.runId, runId),
          ),
        )),
    );
  return found;
}

export async function deleteLinks(q: Query, ids: readonly number[], signal: AbortSignal): Promise<void> {
  for await (const part of partsInTurns(ids, rowsPerChange, signal))
    await q.delete(links).where(inArray(links.id, [...part]));
}

/** Gives the links of a test to another one, which keeps its own where both have the same. */
export async function moveLinks(
  q: Query,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  const idOf = ({ kind, key, runId }: Link) => `${runId ?? ''} ${sameKind(kind, key)}`;
  const of = (testId: number) => q.select().from(links).where(eq(links.testId, testId));
  const known = new Set((await of(to)).map(idOf));
  const moved = (await of(from)).filter((link) => !known.has(idOf(link))).map(({ id }) => id);
  for await (const ids of partsInTurns(moved, rowsPerChange))
    await q.update(links).set({ testId: to }).where(inValues(links.id, ids));
  await q.delete(links).where(eq(links.testId, from));
}

/** Rows of few columns that one statement reads: about 3 ms. */
const rowsAtOnce = 1_000;

/** The tests that are linked to requirements with their last results, in chunks in the order of the links' ids. */
export const requiredTestsAfter = (q: Query, projectId: number, after: number) =>
  q
    .select({
      id: links.id,
      testId: links.testId,
      key: links.key,
      keyName: links.keyName,
      url: links.url,
      status: outcomes.lastStatus,
      at: outcomes.lastAt,
    })
    .from(links)
    .innerJoin(tests, and(eq(tests.id, links.testId), isNull(tests.deletedAt)))
    .leftJoin(outcomes, eq(outcomes.testId, links.testId))
    .where(and(eq(links.projectId, projectId), eq(links.kind, 'requirement'), gt(links.id, after)))
    .orderBy(asc(links.id))
    .limit(rowsAtOnce);
