CREATE TABLE `auth_identities` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`provider` text NOT NULL,
	`created_at` integer NOT NULL
);

CREATE UNIQUE INDEX `auth_identities_subject` ON `auth_identities` (`issuer`,`subject`);
CREATE INDEX `auth_identities_user` ON `auth_identities` (`user_id`);
CREATE TABLE `auth_revocation_positions` (
	`id` integer PRIMARY KEY NOT NULL,
	`position` integer NOT NULL
);

CREATE TABLE `auth_revocations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`session_id` text NOT NULL,
	`user_id` integer NOT NULL,
	`at` integer NOT NULL,
	`reason` text NOT NULL,
	`position` integer
);

CREATE UNIQUE INDEX `auth_revocations_position` ON `auth_revocations` (`position`);
CREATE INDEX `auth_revocations_new` ON `auth_revocations` (`id`) WHERE position is null;
CREATE INDEX `auth_revocations_at` ON `auth_revocations` (`at`);
CREATE TABLE `cta_user_aliases` (
	`user_id` text PRIMARY KEY NOT NULL,
	`into_user_id` text NOT NULL,
	`merged_at` integer NOT NULL,
	`settled` integer NOT NULL
);

CREATE INDEX `cta_user_aliases_into` ON `cta_user_aliases` (`into_user_id`);
CREATE INDEX `cta_user_aliases_merged` ON `cta_user_aliases` (`merged_at`);
CREATE INDEX `cta_user_aliases_open` ON `cta_user_aliases` (`merged_at`) WHERE not settled;
ALTER TABLE `auth_sessions` ADD `identity_id` integer;
ALTER TABLE `auth_sessions` ADD `claims` text;
CREATE INDEX `auth_sessions_guests` ON `auth_sessions` (`expires_at`) WHERE provider = 'guest';
ALTER TABLE `auth_users` ADD `claims` text;

-- Every identity with which somebody signs in: that of a merged account belongs to the one that stayed.
INSERT INTO auth_identities (user_id, issuer, subject, provider, created_at)
SELECT coalesce(merged_into, id), issuer, subject, provider, created_at FROM auth_users WHERE issuer NOT IN ('local', 'erased');