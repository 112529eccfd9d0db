CREATE TABLE `testmgmt_links` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`test_id` integer NOT NULL,
	`run_id` integer,
	`kind` text NOT NULL,
	`key` text NOT NULL,
	`key_name` text NOT NULL,
	`url` text,
	`by_user` integer NOT NULL,
	`at` integer NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `testmgmt_projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`test_id`) REFERENCES `testmgmt_tests`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`run_id`) REFERENCES `testmgmt_runs`(`id`) ON UPDATE no action ON DELETE cascade
);

CREATE INDEX `testmgmt_links_test` ON `testmgmt_links` (`test_id`,`kind`,`key_name`,`run_id`);
CREATE INDEX `testmgmt_links_run` ON `testmgmt_links` (`run_id`,`test_id`);
CREATE INDEX `testmgmt_links_key` ON `testmgmt_links` (`project_id`,`kind`,`key_name`,`test_id`);
CREATE INDEX `testmgmt_links_kind` ON `testmgmt_links` (`project_id`,`kind`,`id`);
CREATE TABLE `testmgmt_quarantines` (
	`test_id` integer PRIMARY KEY NOT NULL,
	`project_id` integer NOT NULL,
	`reason` text NOT NULL,
	`owner_id` integer NOT NULL,
	`until` integer NOT NULL,
	`link_key` text,
	`by_user` integer NOT NULL,
	`at` integer NOT NULL,
	FOREIGN KEY (`test_id`) REFERENCES `testmgmt_tests`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `testmgmt_projects`(`id`) ON UPDATE no action ON DELETE cascade
);

CREATE INDEX `testmgmt_quarantines_project` ON `testmgmt_quarantines` (`project_id`,`test_id`,`until`);
CREATE INDEX `testmgmt_quarantines_end` ON `testmgmt_quarantines` (`project_id`,`until`,`test_id`);
ALTER TABLE `testmgmt_projects` ADD `link_templates` text;
ALTER TABLE `testmgmt_results` ADD `comment_group` text;
ALTER TABLE `testmgmt_run_tests` ADD `comment_group` text;
CREATE INDEX `testmgmt_run_tests_ungrouped` ON `testmgmt_run_tests` (`run_id`,`test_id`) WHERE status = 'failed' and comment <> '' and comment_group is null;