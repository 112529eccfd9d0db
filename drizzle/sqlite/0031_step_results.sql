CREATE TABLE `testmgmt_result_steps` (
	`result_id` integer PRIMARY KEY NOT NULL,
	`steps` text NOT NULL,
	FOREIGN KEY (`result_id`) REFERENCES `testmgmt_results`(`id`) ON UPDATE no action ON DELETE cascade
);

CREATE INDEX `testmgmt_attachments_result` ON `testmgmt_attachments` (`result_id`) WHERE result_id is not null;