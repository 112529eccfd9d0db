CREATE TABLE `testmgmt_external_ids` (
	`project_id` integer NOT NULL,
	`source` text NOT NULL,
	`external_id` text NOT NULL,
	`test_id` integer NOT NULL,
	PRIMARY KEY(`project_id`, `source`, `external_id`),
	FOREIGN KEY (`project_id`) REFERENCES `testmgmt_projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`test_id`) REFERENCES `testmgmt_tests`(`id`) ON UPDATE no action ON DELETE cascade
);

CREATE INDEX `testmgmt_external_ids_test` ON `testmgmt_external_ids` (`test_id`);