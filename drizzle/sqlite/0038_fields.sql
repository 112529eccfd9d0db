CREATE TABLE `testmgmt_fields` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`key` text NOT NULL,
	`name` text NOT NULL,
	`owner` text NOT NULL,
	`kind` text NOT NULL,
	`options` text NOT NULL,
	`required` integer NOT NULL,
	`created_by` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_by` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer,
	FOREIGN KEY (`project_id`) REFERENCES `testmgmt_projects`(`id`) ON UPDATE no action ON DELETE cascade
);

CREATE UNIQUE INDEX `testmgmt_fields_key` ON `testmgmt_fields` (`project_id`,`key`);
CREATE TABLE `testmgmt_result_fields` (
	`result_id` integer PRIMARY KEY NOT NULL,
	`fields` text NOT NULL,
	FOREIGN KEY (`result_id`) REFERENCES `testmgmt_results`(`id`) ON UPDATE no action ON DELETE cascade
);

ALTER TABLE `testmgmt_tests` ADD `fields` text;
ALTER TABLE `testmgmt_test_versions` ADD `fields` text;