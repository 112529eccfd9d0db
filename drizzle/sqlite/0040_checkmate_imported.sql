CREATE TABLE `checkmate_imported` (
	`source` text NOT NULL,
	`kind` text NOT NULL,
	`parent_id` integer NOT NULL,
	`foreign_id` integer NOT NULL,
	`our_id` integer NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`source`, `kind`, `parent_id`, `foreign_id`)
);
