CREATE TABLE "testmgmt_outcomes" (
	"test_id" bigint PRIMARY KEY NOT NULL,
	"project_id" bigint NOT NULL,
	"last_status" text NOT NULL,
	"last_at" bigint NOT NULL,
	"last_by" bigint NOT NULL,
	"last_run_id" bigint NOT NULL,
	"last_result_id" bigint NOT NULL,
	"first_result_id" bigint NOT NULL,
	"changed_after" bigint NOT NULL,
	"recent" text NOT NULL,
	"last_verdict" text,
	"failed" bigint NOT NULL,
	"flips" bigint NOT NULL,
	"runs" bigint NOT NULL,
	"streak" bigint NOT NULL,
	"failing_since" bigint
) WITH (fillfactor = 50);

ALTER TABLE "testmgmt_outcomes" ADD CONSTRAINT "testmgmt_outcomes_test_id_testmgmt_tests_id_fk" FOREIGN KEY ("test_id") REFERENCES "public"."testmgmt_tests"("id") ON DELETE cascade ON UPDATE no action;
INSERT INTO testmgmt_outcomes
	WITH history AS (
		SELECT id, test_id, run_id, status, by_user, at,
			lag(status) OVER (PARTITION BY test_id, run_id ORDER BY id) AS previous
		FROM testmgmt_results
	), lettered AS (
		SELECT id, test_id, run_id, status, by_user, at,
			CASE WHEN status IN ('passed', 'failed', 'blocked') AND coalesce(previous <> status, true)
				THEN substr(status, 1, 1) END AS letter
		FROM history
	), placed AS (
		SELECT id, test_id, run_id, status, by_user, at, letter,
			max(id) OVER (PARTITION BY test_id) AS newest,
			count(letter) OVER (PARTITION BY test_id) - count(letter) OVER earlier AS n,
			max(CASE letter WHEN 'p' THEN id * 4 WHEN 'f' THEN id * 4 + 1 WHEN 'b' THEN id * 4 + 2 END) OVER earlier % 4 AS before,
			max(CASE letter WHEN 'p' THEN id * 4 WHEN 'f' THEN id * 4 + 1 END) OVER earlier % 4 AS verdict_before
		FROM lettered
		WINDOW earlier AS (PARTITION BY test_id ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
	), rows_of_same AS (
		SELECT id, test_id, run_id, status, by_user, at, letter, newest, n,
			min(CASE WHEN letter IS NOT NULL AND coalesce(before <> CASE letter WHEN 'p' THEN 0 WHEN 'f' THEN 1 ELSE 2 END, true)
				THEN n END) OVER (PARTITION BY test_id) AS streak,
			coalesce(letter <> 'b' AND verdict_before <> CASE letter WHEN 'f' THEN 1 ELSE 0 END, false) AS flip
		FROM placed
	), summed AS (
		SELECT test_id,
			max(CASE WHEN id = newest THEN status END) AS last_status,
			max(CASE WHEN id = newest THEN at END) AS last_at,
			max(CASE WHEN id = newest THEN by_user END) AS last_by,
			max(CASE WHEN id = newest THEN run_id END) AS last_run_id,
			max(id) AS last_result_id,
			min(id) AS first_result_id,
			coalesce(string_agg(CASE WHEN flip THEN upper(letter) ELSE letter END, '' ORDER BY n) FILTER (WHERE n <= 20), '') AS recent,
			max(CASE letter WHEN 'p' THEN id * 2 WHEN 'f' THEN id * 2 + 1 END) % 2 AS verdict,
			count(*) FILTER (WHERE n <= 20 AND letter = 'f') AS failed,
			count(*) FILTER (WHERE n <= 20 AND flip) AS flips,
			count(DISTINCT CASE WHEN letter IS NOT NULL THEN run_id END) AS runs,
			coalesce(max(streak), 0) AS streak,
			max(CASE WHEN n = streak AND letter = 'f' THEN at END) AS failing_since
		FROM rows_of_same
		GROUP BY test_id
	)
	SELECT t.id, t.project_id, last_status, last_at, last_by, last_run_id, last_result_id, first_result_id, 0, recent,
		CASE verdict WHEN 0 THEN 'p' WHEN 1 THEN 'f' END, failed, flips, runs, streak, failing_since
	FROM summed
	JOIN testmgmt_tests t ON t.id = summed.test_id;
CREATE INDEX "testmgmt_outcomes_last" ON "testmgmt_outcomes" USING btree ("project_id","last_status","test_id");
CREATE INDEX "testmgmt_outcomes_failed" ON "testmgmt_outcomes" USING btree ("project_id","failed","flips","test_id") WHERE failed > 0;
