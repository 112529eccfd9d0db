CREATE TABLE `testmgmt_saved_views` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`surface` text NOT NULL,
	`owner_id` integer NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`query` text NOT NULL,
	`shared` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `testmgmt_projects`(`id`) ON UPDATE no action ON DELETE cascade
);

CREATE UNIQUE INDEX `testmgmt_saved_views_name` ON `testmgmt_saved_views` (`project_id`,`owner_id`,`surface`,`name_key`);
CREATE INDEX `testmgmt_saved_views_owner` ON `testmgmt_saved_views` (`owner_id`);