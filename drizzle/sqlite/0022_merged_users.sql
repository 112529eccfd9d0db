ALTER TABLE `auth_users` ADD `merged_into` integer;
CREATE INDEX `auth_users_merged` ON `auth_users` (`merged_into`) WHERE merged_into is not null;