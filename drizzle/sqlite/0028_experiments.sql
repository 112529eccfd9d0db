CREATE TABLE `cta_holdouts` (
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`share` integer NOT NULL,
	`seed` text NOT NULL,
	`scope` text NOT NULL,
	`created_by` integer NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `name`)
);

ALTER TABLE `cta_ctas` ADD `experiment` text;
ALTER TABLE `cta_ctas` ADD `experiment_started_at` integer;
ALTER TABLE `cta_ctas` ADD `experiment_stopped_at` integer;
ALTER TABLE `cta_tenants` ADD `delivery` text;