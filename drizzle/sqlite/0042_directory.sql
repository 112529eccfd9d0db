ALTER TABLE `auth_identities` ADD `groups` text;
ALTER TABLE `auth_identities` ADD `groups_at` integer;
CREATE INDEX `auth_identities_groups` ON `auth_identities` (`groups_at`) WHERE groups_at is not null;
ALTER TABLE `auth_members` ADD `group_role` text;
ALTER TABLE `auth_members` ADD `hand_role` text;
ALTER TABLE `auth_sessions` ADD `provider_sid` text;
CREATE INDEX `auth_sessions_provider_sid` ON `auth_sessions` (`provider_sid`) WHERE provider_sid is not null;