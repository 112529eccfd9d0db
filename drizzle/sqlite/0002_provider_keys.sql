CREATE TABLE `auth_provider_keys` (
	`issuer` text PRIMARY KEY NOT NULL,
	`keys` text NOT NULL,
	`fetched_at` integer NOT NULL
);
