CREATE TABLE `testmgmt_unmatched_results` (
	`run_id` integer NOT NULL,
	`project_id` integer NOT NULL,
	`key_hash` text NOT NULL,
	`key` text NOT NULL,
	`name_from` integer NOT NULL,
	`name_to` integer NOT NULL,
	`status` text NOT NULL,
	`flaky` integer NOT NULL,
	`attempts` text NOT NULL,
	`file` text,
	`line` integer,
	`details` text,
	`rename_of` integer,
	`similarity` integer,
	`declined` integer DEFAULT false NOT NULL,
	PRIMARY KEY(`run_id`, `key_hash`),
	FOREIGN KEY (`run_id`) REFERENCES `testmgmt_runs`(`id`) ON UPDATE no action ON DELETE cascade
);

CREATE INDEX `testmgmt_unmatched_results_key` ON `testmgmt_unmatched_results` (`project_id`,`key_hash`,`run_id`);