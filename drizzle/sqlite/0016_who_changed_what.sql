CREATE TABLE `auth_audit_records` (
	`kind` text NOT NULL,
	`record_id` integer NOT NULL,
	`audit_id` integer NOT NULL,
	PRIMARY KEY(`kind`, `record_id`, `audit_id`)
);

CREATE INDEX `auth_audit_records_entry` ON `auth_audit_records` (`audit_id`);
ALTER TABLE `auth_audit` ADD `project_id` integer;
ALTER TABLE `auth_audit` ADD `run_id` integer;
ALTER TABLE `auth_audit` ADD `changes` text;
CREATE INDEX `auth_audit_project` ON `auth_audit` (`project_id`,`id`) WHERE project_id is not null;
CREATE INDEX `auth_audit_run` ON `auth_audit` (`run_id`,`id`) WHERE run_id is not null;
ALTER TABLE `testmgmt_options` ADD `updated_by` integer;
ALTER TABLE `testmgmt_options` ADD `updated_at` integer;
ALTER TABLE `testmgmt_labels` ADD `updated_by` integer;
ALTER TABLE `testmgmt_labels` ADD `updated_at` integer;
ALTER TABLE `testmgmt_projects` ADD `updated_by` integer;
ALTER TABLE `testmgmt_runs` ADD `updated_by` integer;
ALTER TABLE `testmgmt_runs` ADD `updated_at` integer;
ALTER TABLE `testmgmt_sections` ADD `updated_by` integer;
ALTER TABLE `testmgmt_sections` ADD `updated_at` integer;
ALTER TABLE `testmgmt_squads` ADD `updated_by` integer;
ALTER TABLE `testmgmt_squads` ADD `updated_at` integer;