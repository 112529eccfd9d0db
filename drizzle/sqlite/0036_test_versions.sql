CREATE TABLE `testmgmt_section_versions` (
	`section_id` integer NOT NULL,
	`version` integer NOT NULL,
	`from_at` integer NOT NULL,
	`until_at` integer NOT NULL,
	`by_user` integer,
	`write_id` integer,
	`name` text NOT NULL,
	`parent_id` integer,
	`deleted_at` integer,
	PRIMARY KEY(`section_id`, `version`),
	FOREIGN KEY (`section_id`) REFERENCES `testmgmt_sections`(`id`) ON UPDATE no action ON DELETE cascade
);

CREATE INDEX `testmgmt_section_versions_write` ON `testmgmt_section_versions` (`write_id`,`section_id`) WHERE write_id is not null;
CREATE TABLE `testmgmt_test_versions` (
	`test_id` integer NOT NULL,
	`version` integer NOT NULL,
	`from_at` integer NOT NULL,
	`until_at` integer NOT NULL,
	`by_user` integer,
	`write_id` integer,
	`name` text NOT NULL,
	`section_id` integer,
	`priority_id` integer,
	`type_id` integer,
	`automation_status_id` integer,
	`platform_id` integer,
	`test_covered_by_id` integer,
	`squad_id` integer,
	`estimate_seconds` integer,
	`deleted_at` integer,
	`labels` text NOT NULL,
	`description` text,
	`preconditions` text,
	`steps` text,
	PRIMARY KEY(`test_id`, `version`),
	FOREIGN KEY (`test_id`) REFERENCES `testmgmt_tests`(`id`) ON UPDATE no action ON DELETE cascade
);

CREATE INDEX `testmgmt_test_versions_write` ON `testmgmt_test_versions` (`write_id`,`test_id`) WHERE write_id is not null;
ALTER TABLE `auth_audit` ADD `write_id` integer;
ALTER TABLE `testmgmt_sections` ADD `version` integer DEFAULT 1 NOT NULL;
ALTER TABLE `testmgmt_sections` ADD `created_write` integer;
CREATE INDEX `testmgmt_sections_created_write` ON `testmgmt_sections` (`created_write`) WHERE created_write is not null;
ALTER TABLE `testmgmt_tests` ADD `version` integer DEFAULT 1 NOT NULL;
ALTER TABLE `testmgmt_tests` ADD `created_write` integer;
CREATE INDEX `testmgmt_tests_created_write` ON `testmgmt_tests` (`created_write`) WHERE created_write is not null;
CREATE INDEX `testmgmt_tests_many_versions` ON `testmgmt_tests` (`id`) WHERE version > 10000;