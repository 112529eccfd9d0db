CREATE TABLE `auth_used_id_tokens` (
	`hash` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
);

CREATE INDEX `auth_used_id_tokens_expiry` ON `auth_used_id_tokens` (`expires_at`);
ALTER TABLE `auth_audit` ADD `provider` text;
CREATE INDEX `auth_sessions_expiry` ON `auth_sessions` (`expires_at`);