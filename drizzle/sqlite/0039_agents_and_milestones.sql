CREATE TABLE `testmgmt_milestone_changes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`milestone_id` integer NOT NULL,
	`write_id` integer NOT NULL,
	`before` text,
	`after` text,
	`had` text,
	FOREIGN KEY (`project_id`) REFERENCES `testmgmt_projects`(`id`) ON UPDATE no action ON DELETE cascade
);

CREATE INDEX `testmgmt_milestone_changes_write` ON `testmgmt_milestone_changes` (`write_id`,`id`);
CREATE INDEX `testmgmt_milestone_changes_project` ON `testmgmt_milestone_changes` (`project_id`,`id`);
ALTER TABLE `auth_audit` ADD `client` text;
ALTER TABLE `testmgmt_reviews` ADD `client` text;
ALTER TABLE `testmgmt_reviews` ADD `deletes` integer DEFAULT false NOT NULL;