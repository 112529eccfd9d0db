DROP INDEX `auth_access_tokens_user`;
CREATE INDEX `auth_access_tokens_live` ON `auth_access_tokens` (`user_id`,`revoked_at`);
DROP INDEX `auth_sessions_user`;
CREATE INDEX `auth_sessions_standing` ON `auth_sessions` (`user_id`,`revoked_at`);