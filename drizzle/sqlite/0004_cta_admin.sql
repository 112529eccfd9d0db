CREATE TABLE `cta_cohort_members` (
	`cohort_id` integer NOT NULL,
	`user_id` text NOT NULL,
	PRIMARY KEY(`cohort_id`, `user_id`),
	FOREIGN KEY (`cohort_id`) REFERENCES `cta_cohorts`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE TABLE `cta_cohorts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`definition` text NOT NULL,
	`size` integer NOT NULL,
	`created_by` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `cta_tenants`(`tenant_id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `cta_cohorts_name` ON `cta_cohorts` (`tenant_id`,`name`);
CREATE TABLE `cta_status_changes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`cta_id` integer NOT NULL,
	`from_status` text NOT NULL,
	`to_status` text NOT NULL,
	`at` integer NOT NULL,
	`by_user` integer,
	FOREIGN KEY (`cta_id`) REFERENCES `cta_ctas`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `cta_status_changes_cta` ON `cta_status_changes` (`cta_id`,`id`);
CREATE TABLE `cta_user_attributes` (
	`tenant_id` text NOT NULL,
	`user_id` text NOT NULL,
	`attributes` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `user_id`),
	FOREIGN KEY (`tenant_id`) REFERENCES `cta_tenants`(`tenant_id`) ON UPDATE no action ON DELETE no action
);

ALTER TABLE `cta_behaviour_tags` ADD `killed_at` integer;
ALTER TABLE `cta_versions` ADD `from_cta_id` integer;
ALTER TABLE `cta_versions` ADD `from_version` integer;
ALTER TABLE `cta_tenants` ADD `killed_at` integer;
CREATE INDEX `cta_ctas_start` ON `cta_ctas` (`status`,`start_time`);
CREATE INDEX `cta_ctas_end` ON `cta_ctas` (`status`,`end_time`);