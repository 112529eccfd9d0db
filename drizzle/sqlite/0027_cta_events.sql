CREATE TABLE `cta_arrivals` (
	`tenant_id` text NOT NULL,
	`cta_id` integer NOT NULL,
	`state` text NOT NULL,
	`user_id` text NOT NULL,
	`first_at` integer NOT NULL,
	`is_there` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `cta_id`, `state`, `user_id`)
);

CREATE TABLE `cta_events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` text NOT NULL,
	`user_id` text NOT NULL,
	`cta_id` integer NOT NULL,
	`version` integer NOT NULL,
	`variant` text,
	`type` text NOT NULL,
	`source` text NOT NULL,
	`name` text,
	`at` integer NOT NULL,
	`received_at` integer NOT NULL,
	`event_id` text,
	`details` text
);

CREATE UNIQUE INDEX `cta_events_once` ON `cta_events` (`tenant_id`,`user_id`,`event_id`);
CREATE INDEX `cta_events_named` ON `cta_events` (`tenant_id`,`name`,`at`) WHERE name is not null;
CREATE TABLE `cta_goals` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` text NOT NULL,
	`cta_id` integer NOT NULL,
	`name` text NOT NULL,
	`reached_by` text NOT NULL,
	`window_hours` integer NOT NULL,
	`created_by` integer NOT NULL,
	`created_at` integer NOT NULL
);

CREATE UNIQUE INDEX `cta_goals_name` ON `cta_goals` (`tenant_id`,`cta_id`,`name`);
CREATE TABLE `cta_hour_counts` (
	`tenant_id` text NOT NULL,
	`cta_id` integer NOT NULL,
	`hour` integer NOT NULL,
	`type` text NOT NULL,
	`source` text NOT NULL,
	`version` integer NOT NULL,
	`variant` text NOT NULL,
	`slot` integer NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `cta_id`, `hour`, `type`, `source`, `version`, `variant`, `slot`)
);

CREATE TABLE `cta_user_counts` (
	`tenant_id` text NOT NULL,
	`cta_id` integer NOT NULL,
	`user_id` text NOT NULL,
	`variant` text,
	`first_at` integer NOT NULL,
	`last_at` integer NOT NULL,
	`first_seen_at` integer,
	`first_acted_at` integer,
	`converted_at` integer,
	`turned_at` integer,
	`impressions` integer NOT NULL,
	`clicks` integer NOT NULL,
	`dismissals` integer NOT NULL,
	`actions` integer NOT NULL,
	`completions` integer NOT NULL,
	`seen` text,
	PRIMARY KEY(`tenant_id`, `cta_id`, `user_id`)
);

CREATE TABLE `cta_event_usage` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`events` integer NOT NULL,
	`bytes` integer NOT NULL,
	`dropped` integer NOT NULL
);
