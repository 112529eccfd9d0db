CREATE TABLE `auth_master_key_checks` (
	`id` integer PRIMARY KEY NOT NULL,
	`fingerprint` text NOT NULL,
	`created_at` integer NOT NULL
);

ALTER TABLE `auth_access_tokens` ADD `read_toolsets` text;
ALTER TABLE `auth_access_tokens` ADD `grants` text;
ALTER TABLE `auth_access_tokens` ADD `made_with` text;
ALTER TABLE `auth_audit` ADD `operation` text;
ALTER TABLE `auth_audit` ADD `ids` text;
ALTER TABLE `auth_audit` ADD `surface` text;
ALTER TABLE `auth_audit` ADD `credential` text;