ALTER TABLE `auth_master_key_checks` ADD `successor_wrapped` text;
ALTER TABLE `auth_master_key_checks` ADD `previous_wrapped` text;
ALTER TABLE `auth_master_key_checks` ADD `replaced_at` integer;