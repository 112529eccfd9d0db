CREATE TABLE `cta_state_usage` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`states` integer NOT NULL,
	`bytes` integer NOT NULL,
	`counted_at` integer
);
