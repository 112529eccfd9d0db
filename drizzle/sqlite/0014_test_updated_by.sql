ALTER TABLE `testmgmt_tests` ADD `updated_by` integer;
CREATE INDEX `testmgmt_test_labels_label` ON `testmgmt_test_labels` (`label_id`,`test_id`);