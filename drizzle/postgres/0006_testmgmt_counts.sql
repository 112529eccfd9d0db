DROP INDEX "testmgmt_run_tests_status";
DROP INDEX "testmgmt_runs_project";
DROP INDEX "testmgmt_tests_project";
ALTER TABLE "testmgmt_projects" ADD COLUMN "tests_count" bigint DEFAULT 0 NOT NULL;
ALTER TABLE "testmgmt_projects" ADD COLUMN "runs_count" bigint DEFAULT 0 NOT NULL;
ALTER TABLE "testmgmt_runs" ADD COLUMN "passed" bigint DEFAULT 0 NOT NULL;
ALTER TABLE "testmgmt_runs" ADD COLUMN "failed" bigint DEFAULT 0 NOT NULL;
ALTER TABLE "testmgmt_runs" ADD COLUMN "blocked" bigint DEFAULT 0 NOT NULL;
ALTER TABLE "testmgmt_runs" ADD COLUMN "retest" bigint DEFAULT 0 NOT NULL;
ALTER TABLE "testmgmt_runs" ADD COLUMN "untested" bigint DEFAULT 0 NOT NULL;
CREATE INDEX "testmgmt_run_tests_page" ON "testmgmt_run_tests" USING btree ("run_id","status","test_id");
CREATE INDEX "testmgmt_runs_page" ON "testmgmt_runs" USING btree ("project_id","id","deleted_at") WHERE deleted_at is null;
CREATE INDEX "testmgmt_tests_page" ON "testmgmt_tests" USING btree ("project_id","id","deleted_at") WHERE deleted_at is null;
CREATE INDEX "testmgmt_tests_section" ON "testmgmt_tests" USING btree ("project_id","section_id","id","deleted_at") WHERE deleted_at is null;
CREATE INDEX "testmgmt_tests_priority" ON "testmgmt_tests" USING btree ("project_id","priority_id","id","deleted_at") WHERE deleted_at is null;
CREATE INDEX "testmgmt_tests_breakdown" ON "testmgmt_tests" USING btree ("project_id","priority_id","automation_status_id","deleted_at") WHERE deleted_at is null;
UPDATE testmgmt_projects SET
	tests_count = (SELECT count(*) FROM testmgmt_tests t WHERE t.project_id = testmgmt_projects.id AND t.deleted_at IS NULL),
	runs_count = (SELECT count(*) FROM testmgmt_runs r WHERE r.project_id = testmgmt_projects.id AND r.deleted_at IS NULL);
UPDATE testmgmt_runs SET
	passed = (SELECT count(*) FROM testmgmt_run_tests t WHERE t.run_id = testmgmt_runs.id AND t.status = 'passed'),
	failed = (SELECT count(*) FROM testmgmt_run_tests t WHERE t.run_id = testmgmt_runs.id AND t.status = 'failed'),
	blocked = (SELECT count(*) FROM testmgmt_run_tests t WHERE t.run_id = testmgmt_runs.id AND t.status = 'blocked'),
	retest = (SELECT count(*) FROM testmgmt_run_tests t WHERE t.run_id = testmgmt_runs.id AND t.status = 'retest'),
	untested = (SELECT count(*) FROM testmgmt_run_tests t WHERE t.run_id = testmgmt_runs.id AND t.status = 'untested');
