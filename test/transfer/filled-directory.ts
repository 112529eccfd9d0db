import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { createToken, runTrivet, serveTrivet, type Executable } from '../executable.ts';
import { temporaryDirectory } from '../temporary.ts';
import { fillEvidence } from './filled-evidence.ts';

export interface Filling {
  /** Users with a stored state of about 500 bytes. */
  readonly users: number;
  readonly tests: number;
  /** Runs that contain every test: `tests` times `runs` rows. */
  readonly runs: number;
}

/** Texts that one of the two engines, or an intermediate format, could misread. */
const awkward = String.raw`{"quote":"\"","back":"\\","array":"{a,NULL}","line":"a\nb","tab":"	","null":"\\N","ä":"🧀","comma":","}`;

/**
 * A data directory with a master key, an owner and rows of all areas, mostly written by single statements: the tools would take an hour.
 * Some last ids are deleted, so that the next ids are not simply the largest ones plus one.
 */
export async function filledDirectory(
  executable: Executable,
  { users, tests, runs }: Filling,
): Promise<string> {
  const directory = temporaryDirectory('transfer');
  const data = ['--data', directory];
  await createToken(executable, data);
  // A server creates the master key.
  const running = await serveTrivet(executable, data);
  await running.stop();
  const project = ['orgId=1', 'projectName=p', 'projectDescription=o\'brien; -- "p"\n\\'];
  for (const [tool, words] of [
    ['create-project', project],
    ['create-cta', ['name=c', 'rule={"stateToAction":{},"stateTransition":{},"actions":[]}']],
  ] as const) {
    const called = await runTrivet(executable, [
      'call',
      tool,
      ...words.flatMap((word) => ['-a', word]),
      ...data,
    ]);
    if (called.exitCode !== 0) throw new Error(`${tool}: ${called.stderr}`);
  }
  const file = new Database(join(directory, 'trivet.db'));
  const numbers = (count: number) =>
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${Math.max(1, count)})`;
  // User ids are signed 64-bit numbers as text; half of them are negative.
  file.run(
    `INSERT INTO cta_user_states (tenant_id, user_id, state, updated_at) ${numbers(users)}
     SELECT CASE i % 3 WHEN 0 THEN 'a_b' WHEN 1 THEN 'default' ELSE 'Zürich' END,
       CASE i % 2 WHEN 0 THEN '-' ELSE '' END || (9000000000000000000 + i * 7),
       '{"ctas":{"' || i || '":{"machines":{"default":{"currentState":"' || (i % 5) || '","lastTransitionAt":1767225600000,' ||
       '"createdAt":1767225600000,"context":' || ? || '}},"resetAt":[1767225600000],"actionDoneAt":[1767225601000,1767225602000]}},' ||
       '"deleted":{},"text":"' || hex(randomblob(60)) || '"}', 1767225600000 + i FROM n`,
    [awkward],
  );
  file.run(
    `INSERT INTO testmgmt_tests (project_id, name, description, preconditions, steps, created_by, created_at, updated_at, deleted_at)
     ${numbers(tests)} SELECT 1, 'Test ' || i, 'What it checks: ' || ?, '', '[{"action":"Do it","expected":"It is done"}]',
       1, 1767225600000, 1767225600000, CASE i % 50 WHEN 0 THEN 1767225700000 END FROM n`,
    [awkward],
  );
  file.run(
    `INSERT INTO testmgmt_runs (project_id, name, description, untested, created_by, created_at)
     ${numbers(runs)} SELECT 1, 'Run ' || i, '', ${tests}, 1, 1767225600000 FROM n`,
  );
  file.run(
    `INSERT INTO testmgmt_run_tests (run_id, test_id, status, comment, updated_by, updated_at)
     SELECT r.id, t.id, CASE t.id % 3 WHEN 0 THEN 'passed' WHEN 1 THEN 'failed' ELSE 'untested' END,
       CASE t.id % 4 WHEN 0 THEN 'line' || char(10) || 'two\\' WHEN 1 THEN '' END, 1, 1767225600000 + t.id
     FROM testmgmt_runs r, testmgmt_tests t`,
  );
  file.run(
    `INSERT INTO testmgmt_results (run_id, test_id, status, comment, by_user, at)
     SELECT 1, id, 'passed', NULL, 1, 1767225600000 FROM testmgmt_tests`,
  );
  fillEvidence(file);
  file.run('DELETE FROM testmgmt_results WHERE id > (SELECT max(id) - 3 FROM testmgmt_results)');
  file.run('PRAGMA wal_checkpoint(TRUNCATE)');
  file.close();
  return directory;
}

/** The tables that differ between two directories: compared by SQLite itself, row by row, including the last ids. */
export function differentTables(one: string, other: string): readonly string[] {
  const file = new Database(join(one, 'trivet.db'), { readonly: true });
  file.run(`ATTACH '${join(other, 'trivet.db')}' AS other`);
  const names = (schema: string) =>
    file
      .query<{ name: string }, []>(
        `SELECT name FROM ${schema}.sqlite_master WHERE type = 'table' ORDER BY name`,
      )
      .all()
      .map(({ name }) => name)
      .filter((name) => name !== 'trivet_migrations' && !name.startsWith('sqlite_'));
  const count = (sql: string) => file.query<{ n: number }, []>(`SELECT count(*) AS n FROM (${sql})`).get()?.n;
  const different = names('main').filter((name) => {
    const [mine, theirs] = [`SELECT * FROM main."${name}"`, `SELECT * FROM other."${name}"`];
    const same = count(mine) === count(theirs) && count(`${mine} EXCEPT ${theirs}`) === 0;
    const last = (schema: string) =>
      `SELECT * FROM ${schema}.sqlite_sequence WHERE name = '${name}' AND seq > 0`;
    return !same || count(`${last('main')} EXCEPT ${last('other')}`) !== 0;
  });
  const unmatched = names('main').filter((name) => !names('other').includes(name));
  file.close();
  return [...different, ...unmatched];
}
