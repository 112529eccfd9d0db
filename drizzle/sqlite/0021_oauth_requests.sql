CREATE TABLE `auth_oauth_requests` (
	`id` text PRIMARY KEY NOT NULL,
	`client_id` text,
	`redirect_uri` text,
	`state` text,
	`challenge` text,
	`scope` text,
	`resources` text NOT NULL,
	`browser_hash` text,
	`provider` text,
	`upstream_state` text,
	`code_hash` text,
	`user_code_hash` text,
	`poll_after` integer,
	`poll_seconds` integer,
	`invitation_id` integer,
	`user_id` integer,
	`status` text NOT NULL,
	`session_id` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);

CREATE UNIQUE INDEX `auth_oauth_requests_state` ON `auth_oauth_requests` (`upstream_state`);
CREATE UNIQUE INDEX `auth_oauth_requests_code` ON `auth_oauth_requests` (`code_hash`);
CREATE UNIQUE INDEX `auth_oauth_requests_user_code` ON `auth_oauth_requests` (`user_code_hash`);
CREATE INDEX `auth_oauth_requests_expiry` ON `auth_oauth_requests` (`expires_at`);
ALTER TABLE `auth_sessions` ADD `scope` text;