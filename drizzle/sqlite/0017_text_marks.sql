CREATE TABLE `testmgmt_text_marks` (
	`project_id` integer NOT NULL,
	`test_id` integer NOT NULL,
	`m0` integer NOT NULL,
	`m1` integer NOT NULL,
	`m2` integer NOT NULL,
	`m3` integer NOT NULL,
	`m4` integer NOT NULL,
	`m5` integer NOT NULL,
	`m6` integer NOT NULL,
	`m7` integer NOT NULL,
	`m8` integer NOT NULL,
	`m9` integer NOT NULL,
	`m10` integer NOT NULL,
	`m11` integer NOT NULL,
	PRIMARY KEY(`project_id`, `test_id`)
) WITHOUT ROWID;

CREATE INDEX `testmgmt_text_marks_open` ON `testmgmt_text_marks` (`test_id`) WHERE m0 = -1;
ALTER TABLE `testmgmt_tests` ADD `marked_at` integer;
CREATE INDEX `testmgmt_tests_unmarked` ON `testmgmt_tests` (`project_id`,`id`) WHERE marked_at is distinct from updated_at;