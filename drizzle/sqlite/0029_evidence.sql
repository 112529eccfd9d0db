CREATE TABLE `testmgmt_attachments` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`test_id` integer,
	`run_id` integer,
	`result_id` integer,
	`step` integer,
	`blob_id` integer NOT NULL,
	`file_name` text NOT NULL,
	`is_of_pipeline` integer DEFAULT false NOT NULL,
	`by_user` integer NOT NULL,
	`at` integer NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `testmgmt_projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`test_id`) REFERENCES `testmgmt_tests`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`run_id`) REFERENCES `testmgmt_runs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`blob_id`) REFERENCES `testmgmt_blobs`(`id`) ON UPDATE no action ON DELETE cascade
);

CREATE INDEX `testmgmt_attachments_test` ON `testmgmt_attachments` (`test_id`,`run_id`);
CREATE INDEX `testmgmt_attachments_run` ON `testmgmt_attachments` (`run_id`,`test_id`);
CREATE INDEX `testmgmt_attachments_blob` ON `testmgmt_attachments` (`blob_id`);
CREATE INDEX `testmgmt_attachments_old` ON `testmgmt_attachments` (`at`) WHERE is_of_pipeline;
CREATE TABLE `testmgmt_blob_chunks` (
	`blob_id` integer NOT NULL,
	`position` integer NOT NULL,
	`content` blob NOT NULL,
	PRIMARY KEY(`blob_id`, `position`),
	FOREIGN KEY (`blob_id`) REFERENCES `testmgmt_blobs`(`id`) ON UPDATE no action ON DELETE cascade
);

CREATE TABLE `testmgmt_blobs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`sha256` text,
	`size` integer NOT NULL,
	`media_type` text NOT NULL,
	`used_at` integer NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `testmgmt_projects`(`id`) ON UPDATE no action ON DELETE cascade
);

CREATE UNIQUE INDEX `testmgmt_blobs_content` ON `testmgmt_blobs` (`project_id`,`sha256`);
CREATE INDEX `testmgmt_blobs_size` ON `testmgmt_blobs` (`project_id`,`size`);