CREATE TABLE `testmgmt_automation_keys` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`key_hash` text NOT NULL,
	`key` text NOT NULL,
	`name_from` integer NOT NULL,
	`name_to` integer NOT NULL,
	`test_id` integer NOT NULL,
	`is_alias` integer NOT NULL,
	`file` text,
	`created_by` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `testmgmt_projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`test_id`) REFERENCES `testmgmt_tests`(`id`) ON UPDATE no action ON DELETE cascade
);

CREATE UNIQUE INDEX `testmgmt_automation_keys_hash` ON `testmgmt_automation_keys` (`project_id`,`key_hash`);
CREATE INDEX `testmgmt_automation_keys_test` ON `testmgmt_automation_keys` (`test_id`);
CREATE INDEX `testmgmt_automation_keys_alias` ON `testmgmt_automation_keys` (`project_id`,`test_id`) WHERE is_alias;
CREATE TABLE `testmgmt_reported_results` (
	`run_id` integer NOT NULL,
	`test_id` integer NOT NULL,
	`status` text NOT NULL,
	`duration_us` integer,
	`flaky` integer NOT NULL,
	`attempts` text NOT NULL,
	`file` text,
	`line` integer,
	`details` text,
	PRIMARY KEY(`run_id`, `test_id`),
	FOREIGN KEY (`run_id`) REFERENCES `testmgmt_runs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`test_id`) REFERENCES `testmgmt_tests`(`id`) ON UPDATE no action ON DELETE cascade
);

CREATE TABLE `testmgmt_run_sources` (
	`run_id` integer PRIMARY KEY NOT NULL,
	`project_id` integer NOT NULL,
	`run_key` text,
	`provider` text,
	`repository` text,
	`workflow` text,
	`branch` text,
	`base_branch` text,
	`commit_sha` text,
	`build_number` text,
	`job_url` text,
	`author` text,
	`pull_request` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`run_id`) REFERENCES `testmgmt_runs`(`id`) ON UPDATE no action ON DELETE cascade
);

CREATE UNIQUE INDEX `testmgmt_run_sources_key` ON `testmgmt_run_sources` (`project_id`,`run_key`);
CREATE INDEX `testmgmt_run_sources_branch` ON `testmgmt_run_sources` (`project_id`,`branch`,`run_id`);
CREATE INDEX `testmgmt_run_sources_commit` ON `testmgmt_run_sources` (`project_id`,`commit_sha`,`run_id`);