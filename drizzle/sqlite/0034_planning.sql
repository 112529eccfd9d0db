CREATE TABLE `testmgmt_configuration_groups` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`created_by` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_by` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `testmgmt_projects`(`id`) ON UPDATE no action ON DELETE cascade
);

CREATE UNIQUE INDEX `testmgmt_configuration_groups_name` ON `testmgmt_configuration_groups` (`project_id`,`name_key`);
CREATE TABLE `testmgmt_configuration_values` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`group_id` integer NOT NULL,
	`project_id` integer NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`position` integer NOT NULL,
	FOREIGN KEY (`group_id`) REFERENCES `testmgmt_configuration_groups`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `testmgmt_projects`(`id`) ON UPDATE no action ON DELETE cascade
);

CREATE UNIQUE INDEX `testmgmt_configuration_values_name` ON `testmgmt_configuration_values` (`group_id`,`name_key`);
CREATE INDEX `testmgmt_configuration_values_project` ON `testmgmt_configuration_values` (`project_id`,`name_key`);
CREATE TABLE `testmgmt_milestones` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`description` text NOT NULL,
	`start_on` integer,
	`due_on` integer,
	`parent_id` integer,
	`closed_by` integer,
	`closed_at` integer,
	`created_by` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_by` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `testmgmt_projects`(`id`) ON UPDATE no action ON DELETE cascade
);

CREATE UNIQUE INDEX `testmgmt_milestones_name` ON `testmgmt_milestones` (`project_id`,`name_key`);
CREATE INDEX `testmgmt_milestones_parent` ON `testmgmt_milestones` (`parent_id`);
CREATE TABLE `testmgmt_plans` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`milestone_id` integer,
	`closed_by` integer,
	`closed_at` integer,
	`created_by` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_by` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `testmgmt_projects`(`id`) ON UPDATE no action ON DELETE cascade
);

CREATE INDEX `testmgmt_plans_page` ON `testmgmt_plans` (`project_id`,`id`);
CREATE INDEX `testmgmt_plans_milestone` ON `testmgmt_plans` (`milestone_id`);
CREATE TABLE `testmgmt_run_configurations` (
	`run_id` integer NOT NULL,
	`value_id` integer NOT NULL,
	PRIMARY KEY(`run_id`, `value_id`),
	FOREIGN KEY (`run_id`) REFERENCES `testmgmt_runs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`value_id`) REFERENCES `testmgmt_configuration_values`(`id`) ON UPDATE no action ON DELETE cascade
);

CREATE INDEX `testmgmt_run_configurations_value` ON `testmgmt_run_configurations` (`value_id`,`run_id`);
ALTER TABLE `testmgmt_run_tests` ADD `assignee_id` integer;
CREATE INDEX `testmgmt_run_tests_assignee` ON `testmgmt_run_tests` (`assignee_id`,`run_id`) WHERE assignee_id is not null;
ALTER TABLE `testmgmt_runs` ADD `milestone_id` integer;
ALTER TABLE `testmgmt_runs` ADD `plan_id` integer;
ALTER TABLE `testmgmt_runs` ADD `due_on` integer;
CREATE INDEX `testmgmt_runs_milestone` ON `testmgmt_runs` (`milestone_id`) WHERE milestone_id is not null;
CREATE INDEX `testmgmt_runs_plan` ON `testmgmt_runs` (`plan_id`) WHERE plan_id is not null;
ALTER TABLE `testmgmt_tests` ADD `estimate_seconds` integer;
CREATE INDEX `testmgmt_tests_estimated` ON `testmgmt_tests` (`project_id`,`id`,`deleted_at`,`estimate_seconds`) WHERE estimate_seconds is not null;