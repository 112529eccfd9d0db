-- 0000_init
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
-- 0001_key_rotation
ALTER TABLE `auth_signing_keys` ADD `status_since` integer;
-- 0002_provider_keys
CREATE TABLE `auth_provider_keys` (
	`issuer` text PRIMARY KEY NOT NULL,
	`keys` text NOT NULL,
	`fetched_at` integer NOT NULL
);
-- 0003_single_use_and_audit
CREATE TABLE `auth_used_id_tokens` (
	`hash` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
);

CREATE INDEX `auth_used_id_tokens_expiry` ON `auth_used_id_tokens` (`expires_at`);
ALTER TABLE `auth_audit` ADD `provider` text;
CREATE INDEX `auth_sessions_expiry` ON `auth_sessions` (`expires_at`);
-- 0004_cta_admin
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
-- 0005_keyed_calls
CREATE TABLE `core_keyed_calls` (
	`user_id` integer NOT NULL,
	`key` text NOT NULL,
	`fingerprint` text NOT NULL,
	`answer` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `key`)
);
-- 0006_testmgmt_counts
DROP INDEX `testmgmt_run_tests_status`;
CREATE INDEX `testmgmt_run_tests_page` ON `testmgmt_run_tests` (`run_id`,`status`,`test_id`);
DROP INDEX `testmgmt_runs_project`;
ALTER TABLE `testmgmt_runs` ADD `passed` integer DEFAULT 0 NOT NULL;
ALTER TABLE `testmgmt_runs` ADD `failed` integer DEFAULT 0 NOT NULL;
ALTER TABLE `testmgmt_runs` ADD `blocked` integer DEFAULT 0 NOT NULL;
ALTER TABLE `testmgmt_runs` ADD `retest` integer DEFAULT 0 NOT NULL;
ALTER TABLE `testmgmt_runs` ADD `untested` integer DEFAULT 0 NOT NULL;
CREATE INDEX `testmgmt_runs_page` ON `testmgmt_runs` (`project_id`,`id`,`deleted_at`) WHERE deleted_at is null;
DROP INDEX `testmgmt_tests_project`;
CREATE INDEX `testmgmt_tests_page` ON `testmgmt_tests` (`project_id`,`id`,`deleted_at`) WHERE deleted_at is null;
CREATE INDEX `testmgmt_tests_section` ON `testmgmt_tests` (`project_id`,`section_id`,`id`,`deleted_at`) WHERE deleted_at is null;
CREATE INDEX `testmgmt_tests_priority` ON `testmgmt_tests` (`project_id`,`priority_id`,`id`,`deleted_at`) WHERE deleted_at is null;
CREATE INDEX `testmgmt_tests_breakdown` ON `testmgmt_tests` (`project_id`,`priority_id`,`automation_status_id`,`deleted_at`) WHERE deleted_at is null;
ALTER TABLE `testmgmt_projects` ADD `tests_count` integer DEFAULT 0 NOT NULL;
ALTER TABLE `testmgmt_projects` ADD `runs_count` integer DEFAULT 0 NOT NULL;
UPDATE testmgmt_projects SET
	tests_count = (SELECT count(*) FROM testmgmt_tests t WHERE t.project_id = testmgmt_projects.id AND t.deleted_at IS NULL),
	runs_count = (SELECT count(*) FROM testmgmt_runs r WHERE r.project_id = testmgmt_projects.id AND r.deleted_at IS NULL);
UPDATE testmgmt_runs SET
	passed = (SELECT count(*) FROM testmgmt_run_tests t WHERE t.run_id = testmgmt_runs.id AND t.status = 'passed'),
	failed = (SELECT count(*) FROM testmgmt_run_tests t WHERE t.run_id = testmgmt_runs.id AND t.status = 'failed'),
	blocked = (SELECT count(*) FROM testmgmt_run_tests t WHERE t.run_id = testmgmt_runs.id AND t.status = 'blocked'),
	retest = (SELECT count(*) FROM testmgmt_run_tests t WHERE t.run_id = testmgmt_runs.id AND t.status = 'retest'),
	untested = (SELECT count(*) FROM testmgmt_run_tests t WHERE t.run_id = testmgmt_runs.id AND t.status = 'untested');
CREATE TABLE trivet_migrations (tag text PRIMARY KEY, hash text NOT NULL, applied_at bigint NOT NULL);
INSERT INTO "trivet_migrations" ("tag", "hash", "applied_at") VALUES ('0000_init', '036f43bb1821c5e8b7d599d5eca53e8961f671c0b61b62089e5aac5665f5a83d', 1767225600000);
INSERT INTO "trivet_migrations" ("tag", "hash", "applied_at") VALUES ('0001_key_rotation', 'c3c213b6907e10a973c10378ca201fa118319de37e747fc92ea7230a5cfb487b', 1767225600000);
INSERT INTO "trivet_migrations" ("tag", "hash", "applied_at") VALUES ('0002_provider_keys', '42fa04e08b68f1cf26e1e2abe5d9b1e6e518e82e99ff0872787517f4b60f9e28', 1767225600000);
INSERT INTO "trivet_migrations" ("tag", "hash", "applied_at") VALUES ('0003_single_use_and_audit', '1a04a113c644e2380919a46524b37ba9b07cf8130796c98afcacd4af735dfab4', 1767225600000);
INSERT INTO "trivet_migrations" ("tag", "hash", "applied_at") VALUES ('0004_cta_admin', 'e8f0c881112cd7e8a05ecbfd83cca744d44090d6c0e4ed06f89c20d2861d8164', 1767225600000);
INSERT INTO "trivet_migrations" ("tag", "hash", "applied_at") VALUES ('0005_keyed_calls', '1834fe793aaf6b47f917d80172fde30dd0f24ead5875a03c2f76626a9e00558d', 1767225600000);
INSERT INTO "trivet_migrations" ("tag", "hash", "applied_at") VALUES ('0006_testmgmt_counts', '6501d8dcee9e5e6fcc35c37229f6d4fd8a5dbd4d3b886d76c56cde330cb43876', 1767225600000);
INSERT INTO "auth_audit" ("id", "at", "event", "user_id", "actor_id", "session_id", "cause", "address", "provider") VALUES (1, 1767225600000, 'sign_in', 2, NULL, '4Qm03FYO3Bsd9xTnIHVCr_u7', NULL, '127.0.0.1', 'dev');
INSERT INTO "auth_audit" ("id", "at", "event", "user_id", "actor_id", "session_id", "cause", "address", "provider") VALUES (2, 1767225600000, 'key_rotated', NULL, NULL, NULL, 'active', NULL, NULL);
INSERT INTO "auth_members" ("org_id", "user_id", "role", "created_at") VALUES (1, 1, 'admin', 1767225600000);
INSERT INTO "auth_organizations" ("id", "name", "created_at") VALUES (1, 'My organization', 1767225600000);
INSERT INTO "auth_sessions" ("id", "user_id", "provider", "client_id", "audience", "generation", "rotated_at", "grace_uses", "created_at", "expires_at", "last_used_at", "revoked_at", "revoked_reason", "user_agent", "address") VALUES ('4Qm03FYO3Bsd9xTnIHVCr_u7', 2, 'dev', 'trivet-dev', '[]', 0, 1767225600000, 0, 1767225600000, 1775001600000, 1767225600000, NULL, NULL, 'Bun/1.4.5', '127.0.0.1');
INSERT INTO "auth_signing_keys" ("kid", "algorithm", "public_jwk", "private_wrapped", "status", "created_at", "status_since") VALUES ('c1BabujEBaUlw-jfk4IhZiddnw9K-zWXh2lfA1H7UVo', 'ES256', '{"crv":"P-256","kty":"EC","x":"_IwEwoxq9WjUaoA1eHnbykWdkzooDr5JNsw-zPhJUw0","y":"k6ZIpfZmLvbodCgqupGsUL_Y28xYOb6xbu3WakCwZ-E"}', 'siuACd+pdCZWX4VI2sWVyTOhC/0zqC/UzMcB2q6BKllV/HFh+rSmKSPjOybBitxCHX6y/kdYF9GWZi9HuyBmGHGxkywD36zcf7/9iaEhOpFsgctTsKzVANhP9Tp3YAhwC9YBpvym3sdCEAnLFxHfIMoGzfMOwALGOgp6LYazsgC13hyaUiWpwQn/J6foWEjfXa1caONca7NjYbiQXl9lYMaD3aVFShDQIr3hIoRjZDMV7x0bOY+rehYxMiqYyGArPhezd+pimWan5NUR', 'active', 1767225600000, NULL);
INSERT INTO "auth_users" ("id", "issuer", "subject", "provider", "email", "email_verified", "name", "given_name", "family_name", "picture", "status", "created_at", "last_sign_in_at") VALUES (1, 'local', 'owner', 'local', NULL, 0, 'Owner', NULL, NULL, NULL, 'active', 1767225600000, NULL);
INSERT INTO "auth_users" ("id", "issuer", "subject", "provider", "email", "email_verified", "name", "given_name", "family_name", "picture", "status", "created_at", "last_sign_in_at") VALUES (2, 'urn:trivet:dev', 'stored@example.org', 'dev', 'stored@example.org', 1, 'stored', NULL, NULL, NULL, 'active', 1767225600000, 1767225600000);
INSERT INTO "cta_versions" ("cta_id", "version", "fields", "by_user", "at", "from_cta_id", "from_version") VALUES (1, 1, '{"name":"stored","description":"","tags":[],"team":null,"startTime":null,"endTime":null,"behaviourTagName":null,"rule":{"stateToAction":{"1":"show"},"stateTransition":{"opened":{"0":[{"transitionTo":"1"}]}},"actions":[{"actionId":"show","type":"POPUP","template":"<b>hello</b>"}],"priority":3}}', 1, 1767225600000, NULL, NULL);
INSERT INTO "cta_ctas" ("id", "tenant_id", "name", "description", "tags", "team", "status", "start_time", "end_time", "rule", "behaviour_tag_name", "version", "created_by", "created_at", "updated_at") VALUES (1, 'default', 'stored', '', '[]', NULL, 'LIVE', NULL, NULL, '{"stateToAction":{"1":"show"},"stateTransition":{"opened":{"0":[{"transitionTo":"1"}]}},"actions":[{"actionId":"show","type":"POPUP","template":"<b>hello</b>"}],"priority":3}', NULL, 1, 1, 1767225600000, 1767225600000);
INSERT INTO "cta_tenants" ("tenant_id", "org_id", "version", "created_at", "killed_at") VALUES ('default', 1, 3, 1767225600000, NULL);
INSERT INTO "cta_user_states" ("tenant_id", "user_id", "state", "updated_at") VALUES ('default', '9007199254740993', '{"version":1,"ctas":{"1":{"machines":{"default":{"currentState":"1","lastTransitionAt":5,"context":{"deep":[1,"ä"]},"createdAt":1767225600000}},"resetAt":{"marks":[]},"actionDoneAt":{"marks":[3,4]}}},"tags":{}}', 1767225600000);
INSERT INTO "testmgmt_options" ("id", "project_id", "kind", "name", "position") VALUES (1, 1, 'priority', 'Critical', 0);
INSERT INTO "testmgmt_options" ("id", "project_id", "kind", "name", "position") VALUES (2, 1, 'priority', 'High', 1);
INSERT INTO "testmgmt_options" ("id", "project_id", "kind", "name", "position") VALUES (3, 1, 'priority', 'Medium', 2);
INSERT INTO "testmgmt_options" ("id", "project_id", "kind", "name", "position") VALUES (4, 1, 'priority', 'Low', 3);
INSERT INTO "testmgmt_options" ("id", "project_id", "kind", "name", "position") VALUES (5, 1, 'type', 'Functional', 0);
INSERT INTO "testmgmt_options" ("id", "project_id", "kind", "name", "position") VALUES (6, 1, 'type', 'Regression', 1);
INSERT INTO "testmgmt_options" ("id", "project_id", "kind", "name", "position") VALUES (7, 1, 'type', 'Smoke', 2);
INSERT INTO "testmgmt_options" ("id", "project_id", "kind", "name", "position") VALUES (8, 1, 'type', 'Acceptance', 3);
INSERT INTO "testmgmt_options" ("id", "project_id", "kind", "name", "position") VALUES (9, 1, 'type', 'Performance', 4);
INSERT INTO "testmgmt_options" ("id", "project_id", "kind", "name", "position") VALUES (10, 1, 'type', 'Security', 5);
INSERT INTO "testmgmt_options" ("id", "project_id", "kind", "name", "position") VALUES (11, 1, 'type', 'Usability', 6);
INSERT INTO "testmgmt_options" ("id", "project_id", "kind", "name", "position") VALUES (12, 1, 'type', 'Other', 7);
INSERT INTO "testmgmt_options" ("id", "project_id", "kind", "name", "position") VALUES (13, 1, 'automationStatus', 'Automated', 0);
INSERT INTO "testmgmt_options" ("id", "project_id", "kind", "name", "position") VALUES (14, 1, 'automationStatus', 'Automatable', 1);
INSERT INTO "testmgmt_options" ("id", "project_id", "kind", "name", "position") VALUES (15, 1, 'automationStatus', 'Not automatable', 2);
INSERT INTO "testmgmt_options" ("id", "project_id", "kind", "name", "position") VALUES (16, 1, 'automationStatus', 'Manual', 3);
INSERT INTO "testmgmt_options" ("id", "project_id", "kind", "name", "position") VALUES (17, 1, 'platform', 'Web', 0);
INSERT INTO "testmgmt_options" ("id", "project_id", "kind", "name", "position") VALUES (18, 1, 'platform', 'Android', 1);
INSERT INTO "testmgmt_options" ("id", "project_id", "kind", "name", "position") VALUES (19, 1, 'platform', 'iOS', 2);
INSERT INTO "testmgmt_options" ("id", "project_id", "kind", "name", "position") VALUES (20, 1, 'platform', 'API', 3);
INSERT INTO "testmgmt_options" ("id", "project_id", "kind", "name", "position") VALUES (21, 1, 'platform', 'Desktop', 4);
INSERT INTO "testmgmt_options" ("id", "project_id", "kind", "name", "position") VALUES (22, 1, 'testCoveredBy', 'Unit', 0);
INSERT INTO "testmgmt_options" ("id", "project_id", "kind", "name", "position") VALUES (23, 1, 'testCoveredBy', 'Integration', 1);
INSERT INTO "testmgmt_options" ("id", "project_id", "kind", "name", "position") VALUES (24, 1, 'testCoveredBy', 'End to end', 2);
INSERT INTO "testmgmt_options" ("id", "project_id", "kind", "name", "position") VALUES (25, 1, 'testCoveredBy', 'Manual', 3);
INSERT INTO "testmgmt_projects" ("id", "org_id", "name", "description", "is_active", "created_by", "created_at", "updated_at", "tests_count", "runs_count") VALUES (1, 1, 'Käse & ''quotes''', 'line
break', 1, 1, 1767225600000, 1767225600000, 4, 1);
INSERT INTO "testmgmt_results" ("id", "run_id", "test_id", "status", "comment", "by_user", "at") VALUES (1, 1, 1, 'passed', 'fine', 1, 1767225600000);
INSERT INTO "testmgmt_results" ("id", "run_id", "test_id", "status", "comment", "by_user", "at") VALUES (2, 1, 2, 'failed', 'it''s broken', 1, 1767225600000);
INSERT INTO "testmgmt_run_tests" ("run_id", "test_id", "status", "comment", "updated_by", "updated_at") VALUES (1, 1, 'passed', 'fine', 1, 1767225600000);
INSERT INTO "testmgmt_run_tests" ("run_id", "test_id", "status", "comment", "updated_by", "updated_at") VALUES (1, 2, 'failed', 'it''s broken', 1, 1767225600000);
INSERT INTO "testmgmt_run_tests" ("run_id", "test_id", "status", "comment", "updated_by", "updated_at") VALUES (1, 3, 'untested', NULL, NULL, NULL);
INSERT INTO "testmgmt_run_tests" ("run_id", "test_id", "status", "comment", "updated_by", "updated_at") VALUES (1, 4, 'untested', NULL, NULL, NULL);
INSERT INTO "testmgmt_runs" ("id", "project_id", "name", "description", "created_by", "created_at", "locked_by", "locked_at", "deleted_at", "passed", "failed", "blocked", "retest", "untested") VALUES (1, 1, 'stored', '', 1, 1767225600000, NULL, NULL, NULL, 1, 1, 0, 0, 2);
INSERT INTO "testmgmt_tests" ("id", "project_id", "name", "description", "preconditions", "steps", "section_id", "priority_id", "type_id", "automation_status_id", "platform_id", "test_covered_by_id", "squad_id", "created_by", "created_at", "updated_at", "deleted_at") VALUES (1, 1, 'plain', 'about plain', '', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 1767225600000, 1767225600000, NULL);
INSERT INTO "testmgmt_tests" ("id", "project_id", "name", "description", "preconditions", "steps", "section_id", "priority_id", "type_id", "automation_status_id", "platform_id", "test_covered_by_id", "squad_id", "created_by", "created_at", "updated_at", "deleted_at") VALUES (2, 1, 'emoji 🧀', 'about emoji 🧀', '', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 1767225600000, 1767225600000, NULL);
INSERT INTO "testmgmt_tests" ("id", "project_id", "name", "description", "preconditions", "steps", "section_id", "priority_id", "type_id", "automation_status_id", "platform_id", "test_covered_by_id", "squad_id", "created_by", "created_at", "updated_at", "deleted_at") VALUES (3, 1, '=formula()', 'about =formula()', '', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 1767225600000, 1767225600000, NULL);
INSERT INTO "testmgmt_tests" ("id", "project_id", "name", "description", "preconditions", "steps", "section_id", "priority_id", "type_id", "automation_status_id", "platform_id", "test_covered_by_id", "squad_id", "created_by", "created_at", "updated_at", "deleted_at") VALUES (4, 1, 'o''brien; --', 'about o''brien; --', '', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 1767225600000, 1767225600000, NULL);
INSERT INTO "cta_status_changes" ("id", "cta_id", "from_status", "to_status", "at", "by_user") VALUES (1, 1, 'DRAFT', 'LIVE', 1767225600000, 1);
