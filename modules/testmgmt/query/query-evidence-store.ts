import { and, eq, gt, inArray, isNull, or, sql, type SQL } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import { attachments, links, quarantines, type LinkKind } from '../base/evidence-schema.ts';
import { runTests, tests } from '../base/schema.ts';
import { inRange, type QueryPlace } from './query-place-store.ts';

/** Whether the test has a link of a kind, with one of these keys or any; in a run, of the test or of its result there. */
export function hasLink(place: QueryPlace, kind: LinkKind, keys?: readonly string[]): SQL {
  // The tests of a step are of this project already. With the project as a condition SQLite read all its links for each step.
  const inProject = place.range ? undefined : eq(links.projectId, place.projectId);
  const ofKind = and(inProject, eq(links.kind, kind), keys && inArray(links.keyName, [...keys]));
  if (place.scope === 'run-tests') {
    const here = or(isNull(links.runId), sql`${links.runId} = ${runTests.runId}`);
    return sql`exists (select 1 from ${links} where ${and(sql`${links.testId} = ${tests.id}`, ofKind, here)})`;
  }
  const within = place.range && inRange(links.testId, place.range);
  return sql`${tests.id} in (select ${links.testId} from ${links} where ${and(ofKind, within)})`;
}

/** Whether a file is attached to the test: in a run, to the test or to its result there; else to either anywhere. */
export function hasAttachment({ scope }: QueryPlace): SQL {
  const here =
    scope === 'run-tests'
      ? or(isNull(attachments.runId), sql`${attachments.runId} = ${runTests.runId}`)
      : undefined;
  // The index of the column finds the few files of a test.
  return sql`exists (select 1 from ${attachments} where ${and(sql`${attachments.testId} = ${tests.id}`, here)})`;
}

/** Whether failures of the test do not fail a build now. */
export const isQuarantined = (q: Query, { projectId, now }: QueryPlace): SQL =>
  sql`${tests.id} in ${q
    .select({ testId: quarantines.testId })
    .from(quarantines)
    .where(and(eq(quarantines.projectId, projectId), gt(quarantines.until, now)))}`;

/** Whether the test fails with a message of one of these groups (empty: without a message): in the run, or in its last run. */
export function failsWith(q: Query, { scope }: QueryPlace, groups: readonly string[]): SQL {
  const fails = sql`${runTests.status} = 'failed' and coalesce(${runTests.commentGroup}, '') in ${groups}`;
  if (scope === 'run-tests') return sql`(${fails})`;
  const lastRun = sql`(select o.last_run_id from testmgmt_outcomes o where o.test_id = ${tests.id})`;
  return sql`exists ${q
    .select({ found: sql`1` })
    .from(runTests)
    .where(sql`${runTests.runId} = ${lastRun} and ${runTests.testId} = ${tests.id} and ${fails}`)}`;
}
