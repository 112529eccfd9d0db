import type { SQL } from 'bun';

/** The tools of bench/scale-by-hand.ts. */
export const json = (text: string, status = 200) =>
  new Response(text, {
    status,
    headers: {
      'Content-Type': 'application/json',
      'X-Request-Id': Bun.randomUUIDv7(),
      'X-Content-Type-Options': 'nosniff',
    },
  });

interface Caller {
  readonly userId: string;
  readonly tokenId: string;
  readonly orgs: readonly string[];
}

/** The caller of a token with all memberships: one statement. */
async function callerOf(sql: SQL, request: Request): Promise<Caller | undefined> {
  const token = (request.headers.get('authorization') ?? '').slice(7);
  const hash = new Bun.CryptoHasher('sha256').update(token).digest('hex');
  const rows = (await sql`
    SELECT t.id, t.user_id, t.expires_at, t.revoked_at, u.status, m.org_id, m.role
    FROM auth_access_tokens t JOIN auth_users u ON u.id = t.user_id LEFT JOIN auth_members m ON m.user_id = u.id
    WHERE t.hash = ${hash}`) as Array<Record<string, string | null>>;
  const [first] = rows;
  if (!first || first['revoked_at'] !== null || first['status'] !== 'active') return undefined;
  return {
    userId: String(first['user_id']),
    tokenId: String(first['id']),
    orgs: rows.flatMap(({ org_id: org, role }) => (org && role !== 'viewer' ? [org] : [])),
  };
}

interface Report {
  readonly projectId: number;
  readonly runId: number;
  readonly testResults: ReadonlyArray<{ testId: number; status: string }>;
}

/** One statement: locks the run, checks, writes history, outcome, test, counts and audit entry. */
export async function report(sql: SQL, request: Request): Promise<Response> {
  const caller = await callerOf(sql, request);
  const { projectId, runId, testResults } = (await request.json()) as Report;
  const [result] = testResults;
  if (!caller || !result) return json('{}', 401);
  const { testId, status } = result;
  const now = String(Date.now());
  const [run] = (await sql`
    WITH run AS (
      SELECT r.id FROM testmgmt_runs r JOIN testmgmt_projects p ON p.id = r.project_id
      WHERE r.id = ${runId} AND p.id = ${projectId} AND r.deleted_at IS NULL AND r.locked_at IS NULL AND p.is_active
        AND p.org_id = ANY(${`{${caller.orgs.join(',')}}`}::bigint[])
      FOR NO KEY UPDATE OF r
    ), before AS (
      SELECT t.run_id, t.test_id, t.status FROM testmgmt_run_tests t JOIN run ON run.id = t.run_id
      WHERE t.test_id = ${testId} FOR UPDATE OF t
    ), history AS (
      INSERT INTO testmgmt_results (run_id, test_id, status, comment, by_user, at)
      SELECT run_id, test_id, ${status}, NULL, ${caller.userId}, ${now} FROM before WHERE status <> ${status}
      RETURNING id, test_id, left(status, 1) AS letter
    ), outcome AS (
      INSERT INTO testmgmt_outcomes AS o (test_id, project_id, last_status, last_at, last_by, last_run_id, last_result_id,
        first_result_id, changed_after, recent, last_verdict, failed, flips, runs, streak, failing_since)
      SELECT test_id, ${projectId}, ${status}, ${now}, ${caller.userId}, ${runId}, id, id, 0, letter, letter,
        (letter = 'f')::int, 0, 1, 1, CASE WHEN letter = 'f' THEN ${now}::bigint END FROM history
      ON CONFLICT (test_id) DO UPDATE SET last_status = excluded.last_status, last_at = excluded.last_at,
        last_by = excluded.last_by, last_run_id = excluded.last_run_id, last_result_id = excluded.last_result_id,
        recent = left(CASE WHEN o.last_verdict <> excluded.recent THEN upper(excluded.recent) ELSE excluded.recent END || o.recent, 20),
        last_verdict = excluded.last_verdict,
        failed = length(left(excluded.recent || o.recent, 20)) - length(replace(lower(left(excluded.recent || o.recent, 20)), 'f', '')),
        flips = o.flips + (o.last_verdict <> excluded.recent)::int,
        streak = CASE WHEN lower(left(o.recent, 1)) = excluded.recent THEN o.streak + 1 ELSE 1 END,
        failing_since = CASE WHEN excluded.recent <> 'f' THEN NULL ELSE coalesce(o.failing_since, excluded.failing_since) END
    ), changed AS (
      UPDATE testmgmt_run_tests t SET status = ${status}, updated_by = ${caller.userId}, updated_at = ${now}
      FROM before b WHERE t.run_id = b.run_id AND t.test_id = b.test_id AND b.status <> ${status}
    ), audited AS (
      INSERT INTO auth_audit (at, event, user_id, operation, ids, surface, credential)
      SELECT ${now}, 'operation', ${caller.userId}, 'run-update-test-status',
        ${JSON.stringify({ runId, projectId, testIds: [testId] })}, 'http', ${`token:${caller.tokenId}`} FROM before
    )
    UPDATE testmgmt_runs r SET
      passed = r.passed + (${status} = 'passed')::int - (b.status = 'passed')::int,
      failed = r.failed + (${status} = 'failed')::int - (b.status = 'failed')::int,
      blocked = r.blocked + (${status} = 'blocked')::int - (b.status = 'blocked')::int,
      retest = r.retest + (${status} = 'retest')::int - (b.status = 'retest')::int,
      untested = r.untested + (${status} = 'untested')::int - (b.status = 'untested')::int
    FROM before b WHERE r.id = b.run_id RETURNING r.*`) as Array<Record<string, string | null>>;
  if (!run) return json('{}', 404);
  const count = (name: string) => Number(run[name]);
  return json(
    JSON.stringify({
      runId: Number(run['id']),
      projectId: Number(run['project_id']),
      runName: run['name'],
      counts: { passed: count('passed'), failed: count('failed'), untested: count('untested') },
    }),
  );
}

interface TestRow {
  readonly id: string;
  readonly name: string;
  readonly section_id: string | null;
  readonly priority_id: string | null;
}

/** The page, its labels, its section paths and its priorities: first the token, then everything else in one round trip. */
export async function page(sql: SQL, request: Request): Promise<Response> {
  const caller = await callerOf(sql, request);
  const { projectId, limit, offset = 0 } = (await request.json()) as Record<string, number>;
  if (!caller) return json('{}', 401);
  const connection = await sql.reserve();
  try {
    const [[project], tests, labels, sections, values] = (await Promise.all([
      connection`SELECT org_id, tests_count FROM testmgmt_projects WHERE id = ${projectId}`,
      connection`
        SELECT * FROM testmgmt_tests WHERE id = ANY(ARRAY(SELECT id FROM testmgmt_tests
          WHERE project_id = ${projectId} AND deleted_at IS NULL ORDER BY id LIMIT ${limit} OFFSET ${offset})) ORDER BY id`,
      connection`
        SELECT l.test_id, l.label_id, n.name FROM testmgmt_test_labels l JOIN testmgmt_labels n ON n.id = l.label_id
        WHERE l.test_id = ANY(ARRAY(SELECT id FROM testmgmt_tests
          WHERE project_id = ${projectId} AND deleted_at IS NULL ORDER BY id LIMIT ${limit} OFFSET ${offset})) ORDER BY 1, 2`,
      connection`SELECT id, parent_id, name FROM testmgmt_sections WHERE project_id = ${projectId}`,
      connection`SELECT id, name FROM testmgmt_options WHERE project_id = ${projectId}`,
    ])) as [
      Array<{ org_id: string; tests_count: string }>,
      TestRow[],
      Array<{ test_id: string; label_id: string; name: string }>,
      Array<{ id: string; parent_id: string | null; name: string }>,
      Array<{ id: string; name: string }>,
    ];
    if (!project || !caller.orgs.includes(project.org_id)) return json('{}', 404);
    const byId = new Map(sections.map((section) => [section.id, section]));
    const names = new Map(values.map(({ id, name }) => [id, name]));
    const pathOf = (id: string | null): string[] => {
      const section = id === null ? undefined : byId.get(id);
      return section ? [...pathOf(section.parent_id), section.name] : [];
    };
    const ofTest = Map.groupBy(labels, ({ test_id: id }) => id);
    return json(
      JSON.stringify({
        total: Number(project.tests_count),
        limit,
        offset,
        tests: tests.map((test) => ({
          ...test,
          sectionPath: pathOf(test.section_id),
          priority: test.priority_id === null ? null : names.get(test.priority_id),
          labels: (ofTest.get(test.id) ?? []).map((label) => ({
            labelId: Number(label.label_id),
            labelName: label.name,
          })),
        })),
      }),
    );
  } finally {
    await connection.release();
  }
}
