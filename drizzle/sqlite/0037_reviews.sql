CREATE TABLE `testmgmt_review_verdicts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`review_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`verdict` text NOT NULL,
	`comment` text NOT NULL,
	`hash` text NOT NULL,
	`at` integer NOT NULL,
	FOREIGN KEY (`review_id`) REFERENCES `testmgmt_reviews`(`id`) ON UPDATE no action ON DELETE cascade
);

CREATE INDEX `testmgmt_review_verdicts_review` ON `testmgmt_review_verdicts` (`review_id`,`id`);
CREATE TABLE `testmgmt_reviews` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`test_id` integer,
	`base_version` integer NOT NULL,
	`set` text NOT NULL,
	`hash` text NOT NULL,
	`state` text NOT NULL,
	`comment` text NOT NULL,
	`reviewers` text NOT NULL,
	`author_id` integer NOT NULL,
	`surface` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`closed_by` integer,
	`closed_at` integer,
	FOREIGN KEY (`project_id`) REFERENCES `testmgmt_projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`test_id`) REFERENCES `testmgmt_tests`(`id`) ON UPDATE no action ON DELETE cascade
);

CREATE INDEX `testmgmt_reviews_page` ON `testmgmt_reviews` (`project_id`,`state`,`id`);
CREATE INDEX `testmgmt_reviews_all` ON `testmgmt_reviews` (`project_id`,`id`);
CREATE INDEX `testmgmt_reviews_test` ON `testmgmt_reviews` (`test_id`,`id`);
ALTER TABLE `testmgmt_projects` ADD `review` text DEFAULT 'off' NOT NULL;