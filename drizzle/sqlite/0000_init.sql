CREATE TABLE `auth_access_tokens` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`hash` text NOT NULL,
	`toolsets` text,
	`read_only` integer NOT NULL,
	`org_id` integer,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`last_used_at` integer,
	`revoked_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `auth_users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`org_id`) REFERENCES `auth_organizations`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `auth_access_tokens_hash` ON `auth_access_tokens` (`hash`);
CREATE INDEX `auth_access_tokens_user` ON `auth_access_tokens` (`user_id`);
CREATE TABLE `auth_audit` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` integer NOT NULL,
	`event` text NOT NULL,
	`user_id` integer,
	`actor_id` integer,
	`session_id` text,
	`cause` text,
	`address` text
);

CREATE INDEX `auth_audit_user` ON `auth_audit` (`user_id`,`id`);
CREATE TABLE `auth_invitations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`org_id` integer NOT NULL,
	`kind` text NOT NULL,
	`role` text NOT NULL,
	`code_hash` text NOT NULL,
	`created_by` integer,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`redeemed_by` integer,
	`redeemed_at` integer,
	FOREIGN KEY (`org_id`) REFERENCES `auth_organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`created_by`) REFERENCES `auth_users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`redeemed_by`) REFERENCES `auth_users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `auth_invitations_code` ON `auth_invitations` (`code_hash`);
CREATE TABLE `auth_members` (
	`org_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`role` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `user_id`),
	FOREIGN KEY (`org_id`) REFERENCES `auth_organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `auth_users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `auth_members_user` ON `auth_members` (`user_id`);
CREATE TABLE `auth_organizations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL
);

CREATE TABLE `auth_sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`provider` text NOT NULL,
	`client_id` text NOT NULL,
	`audience` text NOT NULL,
	`generation` integer NOT NULL,
	`rotated_at` integer NOT NULL,
	`grace_uses` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`last_used_at` integer NOT NULL,
	`revoked_at` integer,
	`revoked_reason` text,
	`user_agent` text,
	`address` text,
	FOREIGN KEY (`user_id`) REFERENCES `auth_users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `auth_sessions_user` ON `auth_sessions` (`user_id`);
CREATE TABLE `auth_signing_keys` (
	`kid` text PRIMARY KEY NOT NULL,
	`algorithm` text NOT NULL,
	`public_jwk` text NOT NULL,
	`private_wrapped` text NOT NULL,
	`status` text NOT NULL,
	`created_at` integer NOT NULL
);

CREATE TABLE `auth_users` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`provider` text NOT NULL,
	`email` text,
	`email_verified` integer NOT NULL,
	`name` text,
	`given_name` text,
	`family_name` text,
	`picture` text,
	`status` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_sign_in_at` integer
);

CREATE UNIQUE INDEX `auth_users_identity` ON `auth_users` (`issuer`,`subject`);
CREATE INDEX `auth_users_email` ON `auth_users` (`email`);
CREATE TABLE `cta_behaviour_tags` (
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`definition` text NOT NULL,
	`version` integer NOT NULL,
	`created_by` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `name`),
	FOREIGN KEY (`tenant_id`) REFERENCES `cta_tenants`(`tenant_id`) ON UPDATE no action ON DELETE no action
);

CREATE TABLE `cta_versions` (
	`cta_id` integer NOT NULL,
	`version` integer NOT NULL,
	`fields` text NOT NULL,
	`by_user` integer NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`cta_id`, `version`),
	FOREIGN KEY (`cta_id`) REFERENCES `cta_ctas`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE TABLE `cta_ctas` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`tags` text NOT NULL,
	`team` text,
	`status` text NOT NULL,
	`start_time` integer,
	`end_time` integer,
	`rule` text NOT NULL,
	`behaviour_tag_name` text,
	`version` integer NOT NULL,
	`created_by` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `cta_tenants`(`tenant_id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `cta_ctas_tenant` ON `cta_ctas` (`tenant_id`,`id`);
CREATE TABLE `cta_previews` (
	`tenant_id` text NOT NULL,
	`id` text NOT NULL,
	`template` text NOT NULL,
	`ttl` integer,
	`created_by` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	PRIMARY KEY(`tenant_id`, `id`),
	FOREIGN KEY (`tenant_id`) REFERENCES `cta_tenants`(`tenant_id`) ON UPDATE no action ON DELETE no action
);

CREATE TABLE `cta_tenants` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`org_id` integer NOT NULL,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL
);

CREATE TABLE `cta_user_states` (
	`tenant_id` text NOT NULL,
	`user_id` text NOT NULL,
	`state` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `user_id`)
);

CREATE TABLE `testmgmt_labels` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `testmgmt_projects`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `testmgmt_labels_name` ON `testmgmt_labels` (`project_id`,`name_key`);
CREATE TABLE `testmgmt_options` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`position` integer NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `testmgmt_projects`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `testmgmt_options_name` ON `testmgmt_options` (`project_id`,`kind`,`name`);
CREATE TABLE `testmgmt_projects` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`org_id` integer NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`is_active` integer NOT NULL,
	`created_by` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);

CREATE INDEX `testmgmt_projects_org` ON `testmgmt_projects` (`org_id`,`id`);
CREATE TABLE `testmgmt_results` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`run_id` integer NOT NULL,
	`test_id` integer NOT NULL,
	`status` text NOT NULL,
	`comment` text,
	`by_user` integer NOT NULL,
	`at` integer NOT NULL,
	FOREIGN KEY (`run_id`) REFERENCES `testmgmt_runs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`test_id`) REFERENCES `testmgmt_tests`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `testmgmt_results_run` ON `testmgmt_results` (`run_id`,`test_id`);
CREATE INDEX `testmgmt_results_test` ON `testmgmt_results` (`test_id`,`id`);
CREATE TABLE `testmgmt_run_tests` (
	`run_id` integer NOT NULL,
	`test_id` integer NOT NULL,
	`status` text NOT NULL,
	`comment` text,
	`updated_by` integer,
	`updated_at` integer,
	PRIMARY KEY(`run_id`, `test_id`),
	FOREIGN KEY (`run_id`) REFERENCES `testmgmt_runs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`test_id`) REFERENCES `testmgmt_tests`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `testmgmt_run_tests_status` ON `testmgmt_run_tests` (`run_id`,`status`);
CREATE TABLE `testmgmt_runs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`created_by` integer NOT NULL,
	`created_at` integer NOT NULL,
	`locked_by` integer,
	`locked_at` integer,
	`deleted_at` integer,
	FOREIGN KEY (`project_id`) REFERENCES `testmgmt_projects`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `testmgmt_runs_project` ON `testmgmt_runs` (`project_id`,`id`);
CREATE TABLE `testmgmt_sections` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`parent_id` integer,
	`name` text NOT NULL,
	`created_at` integer NOT NULL,
	`deleted_at` integer,
	FOREIGN KEY (`project_id`) REFERENCES `testmgmt_projects`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `testmgmt_sections_project` ON `testmgmt_sections` (`project_id`,`parent_id`);
CREATE TABLE `testmgmt_squads` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `testmgmt_projects`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `testmgmt_squads_name` ON `testmgmt_squads` (`project_id`,`name_key`);
CREATE TABLE `testmgmt_test_labels` (
	`test_id` integer NOT NULL,
	`label_id` integer NOT NULL,
	PRIMARY KEY(`test_id`, `label_id`),
	FOREIGN KEY (`test_id`) REFERENCES `testmgmt_tests`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`label_id`) REFERENCES `testmgmt_labels`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE TABLE `testmgmt_tests` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`preconditions` text NOT NULL,
	`steps` text NOT NULL,
	`section_id` integer,
	`priority_id` integer,
	`type_id` integer,
	`automation_status_id` integer,
	`platform_id` integer,
	`test_covered_by_id` integer,
	`squad_id` integer,
	`created_by` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer,
	FOREIGN KEY (`project_id`) REFERENCES `testmgmt_projects`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`section_id`) REFERENCES `testmgmt_sections`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`priority_id`) REFERENCES `testmgmt_options`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`type_id`) REFERENCES `testmgmt_options`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`automation_status_id`) REFERENCES `testmgmt_options`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`platform_id`) REFERENCES `testmgmt_options`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`test_covered_by_id`) REFERENCES `testmgmt_options`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`squad_id`) REFERENCES `testmgmt_squads`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `testmgmt_tests_project` ON `testmgmt_tests` (`project_id`,`id`);