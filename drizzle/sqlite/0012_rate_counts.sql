CREATE TABLE `core_rate_counts` (
	`key` text PRIMARY KEY NOT NULL,
	`since` integer NOT NULL,
	`used` integer NOT NULL
);
