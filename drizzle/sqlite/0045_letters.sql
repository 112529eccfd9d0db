CREATE TABLE `core_letters` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`key` text NOT NULL,
	`recipient` text NOT NULL,
	`user_id` integer,
	`address` text,
	`facts` text NOT NULL,
	`status` text NOT NULL,
	`attempts` integer NOT NULL,
	`created_at` integer NOT NULL,
	`due_at` integer NOT NULL,
	`ended_at` integer,
	`failure` text
);

CREATE UNIQUE INDEX `core_letters_key` ON `core_letters` (`key`);
CREATE INDEX `core_letters_due` ON `core_letters` (`due_at`) WHERE status = 'waiting';
CREATE INDEX `core_letters_ended` ON `core_letters` (`status`,`ended_at`);
CREATE INDEX `core_letters_recipient` ON `core_letters` (`recipient`,`ended_at`);
CREATE TABLE `core_refused_letters` (
	`recipient` text NOT NULL,
	`kind` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`recipient`, `kind`)
);

CREATE TABLE `testmgmt_follows` (
	`project_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`since` integer NOT NULL,
	PRIMARY KEY(`project_id`, `user_id`),
	FOREIGN KEY (`project_id`) REFERENCES `testmgmt_projects`(`id`) ON UPDATE no action ON DELETE cascade
);

CREATE INDEX `testmgmt_follows_user` ON `testmgmt_follows` (`user_id`,`project_id`);
CREATE TABLE `testmgmt_run_notices` (
	`run_id` integer PRIMARY KEY NOT NULL,
	`project_id` integer NOT NULL,
	`due_at` integer NOT NULL,
	FOREIGN KEY (`run_id`) REFERENCES `testmgmt_runs`(`id`) ON UPDATE no action ON DELETE cascade
);

CREATE INDEX `testmgmt_run_notices_due` ON `testmgmt_run_notices` (`due_at`);
CREATE INDEX `testmgmt_milestones_due` ON `testmgmt_milestones` (`due_on`,`id`) WHERE closed_at is null and due_on is not null;