import type { Database } from 'bun:sqlite';

const at = 1_767_225_600_000;
const written = `1, ${at}, 1, ${at}`;

/** Rows of each table of evidence and planning, of the tests and runs that a database has. */
const statements: readonly string[] = [
  `INSERT INTO testmgmt_blobs (project_id, sha256, size, media_type, used_at)
   SELECT 1, CASE id % 9 WHEN 0 THEN NULL ELSE lower(hex(randomblob(32))) END, 3000, 'image/png', ${at} FROM testmgmt_tests LIMIT 200`,
  // Bytes that neither engine may take for text.
  `INSERT INTO testmgmt_blob_chunks (blob_id, position, content)
   SELECT id, p.i, CASE p.i WHEN 0 THEN x'00ff5c780a0d2700' || randomblob(2992) ELSE zeroblob(2) END
   FROM testmgmt_blobs, (SELECT 0 AS i UNION SELECT 1) p`,
  // The operator || makes text of bytes.
  `UPDATE testmgmt_blob_chunks SET content = randomblob(262144) WHERE position = 0 AND blob_id % 20 = 1`,
  `UPDATE testmgmt_blob_chunks SET content = CAST(content AS BLOB)`,
  `INSERT INTO testmgmt_attachments (project_id, test_id, run_id, result_id, step, blob_id, file_name, is_of_pipeline, by_user, at)
   SELECT 1, CASE id % 3 WHEN 0 THEN NULL ELSE 1 END, CASE id % 3 WHEN 1 THEN NULL ELSE 1 END, NULL, id % 5, id, 'ä "' || id || '".png', id % 2, 1, ${at}
   FROM testmgmt_blobs WHERE sha256 IS NOT NULL`,
  `INSERT INTO testmgmt_result_steps (result_id, steps) SELECT id, '[{"step":1,"status":"failed","comment":"a\\nb"}]' FROM testmgmt_results LIMIT 50`,
  `INSERT INTO testmgmt_links (project_id, test_id, run_id, kind, key, key_name, url, by_user, at)
   SELECT 1, id, CASE id % 2 WHEN 0 THEN 1 END, 'defect', 'SHOP-' || id, 'shop-' || id, CASE id % 3 WHEN 0 THEN 'https://a.example/ä?b=c' END, 1, ${at}
   FROM testmgmt_tests LIMIT 300`,
  `INSERT INTO testmgmt_quarantines (test_id, project_id, reason, owner_id, until, link_key, by_user, at)
   SELECT id, 1, 'the clock', 1, ${at}, NULL, 1, ${at} FROM testmgmt_tests LIMIT 20`,
  `INSERT INTO testmgmt_milestones (project_id, name, name_key, description, start_on, due_on, parent_id, created_by, created_at, updated_by, updated_at)
   VALUES (1, '1.4', '1.4', '', NULL, ${at}, NULL, ${written}), (1, 'Ä', 'ä', 'part', ${at}, NULL, 1, ${written})`,
  `INSERT INTO testmgmt_plans (project_id, name, description, milestone_id, created_by, created_at, updated_by, updated_at)
   VALUES (1, 'a plan', '', 1, ${written})`,
  `INSERT INTO testmgmt_configuration_groups (project_id, name, name_key, created_by, created_at, updated_by, updated_at)
   VALUES (1, 'Browser', 'browser', ${written})`,
  `INSERT INTO testmgmt_configuration_values (group_id, project_id, name, name_key, position)
   VALUES (1, 1, 'Chrome', 'chrome', 0), (1, 1, 'Edge', 'edge', 1)`,
  `INSERT INTO testmgmt_run_configurations (run_id, value_id) SELECT id, 1 + id % 2 FROM testmgmt_runs`,
  `INSERT INTO testmgmt_share_links (project_id, run_id, milestone_id, hash, by_user, created_at, expires_at)
   VALUES (1, NULL, 1, 'a hash', 1, ${at}, ${at})`,
  `INSERT INTO testmgmt_saved_views (project_id, surface, owner_id, name, name_key, query, shared, created_at, updated_at)
   VALUES (1, 'tests', 1, 'Ä', 'ä', 'label:"a b"', 1, ${at}, ${at})`,
  `UPDATE testmgmt_runs SET milestone_id = 1, plan_id = 1, due_on = ${at} WHERE id % 2 = 0`,
  `UPDATE testmgmt_run_tests SET assignee_id = 1 WHERE test_id % 2 = 0`,
  `UPDATE testmgmt_tests SET estimate_seconds = id % 600 WHERE id % 2 = 0`,
];

const tables = statements.flatMap((sql) => /^INSERT INTO (\w+)/.exec(sql)?.[1] ?? []);

/** Fills the tables of evidence and planning of a database that has tests, runs and results. @throws Error if one stays empty. */
export function fillEvidence(file: Database): void {
  for (const sql of statements) file.run(sql);
  for (const name of tables)
    if (file.query(`SELECT 1 FROM ${name} LIMIT 1`).get() === null) throw new Error(`${name} is empty`);
}
