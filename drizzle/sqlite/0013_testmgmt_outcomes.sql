CREATE TABLE `testmgmt_outcomes` (
	`test_id` integer PRIMARY KEY NOT NULL,
	`project_id` integer NOT NULL,
	`last_status` text NOT NULL,
	`last_at` integer NOT NULL,
	`last_by` integer NOT NULL,
	`last_run_id` integer NOT NULL,
	`last_result_id` integer NOT NULL,
	`first_result_id` integer NOT NULL,
	`changed_after` integer NOT NULL,
	`recent` text NOT NULL,
	`last_verdict` text,
	`failed` integer NOT NULL,
	`flips` integer NOT NULL,
	`runs` integer NOT NULL,
	`streak` integer NOT NULL,
	`failing_since` integer,
	FOREIGN KEY (`test_id`) REFERENCES `testmgmt_tests`(`id`) ON UPDATE no action ON DELETE cascade
);
INSERT INTO testmgmt_outcomes
	WITH history AS (
		SELECT id, test_id, run_id, status, at, lag(status) OVER (PARTITION BY test_id, run_id ORDER BY id) AS previous
		FROM testmgmt_results
	), counted AS (
		SELECT id, test_id, run_id, at, substr(status, 1, 1) AS letter,
			count(*) OVER (PARTITION BY test_id) - row_number() OVER by_id + 1 AS n,
			coalesce(lag(status) OVER by_id <> status, true) AS begins,
			max(CASE status WHEN 'passed' THEN id * 2 WHEN 'failed' THEN id * 2 + 1 END)
				OVER (PARTITION BY test_id ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) % 2 AS verdict_before
		FROM history
		WHERE status IN ('passed', 'failed', 'blocked') AND coalesce(previous <> status, true)
		WINDOW by_id AS (PARTITION BY test_id ORDER BY id)
	), placed AS (
		SELECT id, test_id, run_id, at, letter, n, min(CASE WHEN begins THEN n END) OVER (PARTITION BY test_id) AS streak,
			coalesce(letter <> 'b' AND verdict_before <> CASE letter WHEN 'f' THEN 1 ELSE 0 END, false) AS flip
		FROM counted
	), summed AS (
		SELECT test_id,
			string_agg(CASE WHEN flip THEN upper(letter) ELSE letter END, '' ORDER BY n) FILTER (WHERE n <= 20) AS recent,
			max(CASE letter WHEN 'p' THEN id * 2 WHEN 'f' THEN id * 2 + 1 END) % 2 AS verdict,
			count(*) FILTER (WHERE n <= 20 AND letter = 'f') AS failed,
			count(*) FILTER (WHERE n <= 20 AND flip) AS flips,
			count(DISTINCT run_id) AS runs,
			max(streak) AS streak,
			max(CASE WHEN n = streak AND letter = 'f' THEN at END) AS failing_since
		FROM placed
		GROUP BY test_id
	), ends AS (
		SELECT test_id, max(id) AS newest, min(id) AS oldest
		FROM testmgmt_results
		GROUP BY test_id
	)
	SELECT r.test_id, t.project_id, r.status, r.at, r.by_user, r.run_id, r.id, ends.oldest, 0,
		coalesce(recent, ''), CASE verdict WHEN 0 THEN 'p' WHEN 1 THEN 'f' END, coalesce(failed, 0), coalesce(flips, 0),
		coalesce(runs, 0), coalesce(streak, 0), failing_since
	FROM ends
	JOIN testmgmt_results r ON r.id = ends.newest
	JOIN testmgmt_tests t ON t.id = r.test_id
	LEFT JOIN summed ON summed.test_id = r.test_id;
CREATE INDEX `testmgmt_outcomes_last` ON `testmgmt_outcomes` (`project_id`,`last_status`,`test_id`);
CREATE INDEX `testmgmt_outcomes_failed` ON `testmgmt_outcomes` (`project_id`,`failed`,`flips`,`test_id`) WHERE failed > 0;
