CREATE TABLE `testmgmt_share_links` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`run_id` integer,
	`hash` text NOT NULL,
	`by_user` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `testmgmt_projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`run_id`) REFERENCES `testmgmt_runs`(`id`) ON UPDATE no action ON DELETE cascade
);

CREATE UNIQUE INDEX `testmgmt_share_links_hash` ON `testmgmt_share_links` (`hash`);
CREATE INDEX `testmgmt_share_links_project` ON `testmgmt_share_links` (`project_id`,`id`);
CREATE INDEX `testmgmt_share_links_expires` ON `testmgmt_share_links` (`expires_at`);