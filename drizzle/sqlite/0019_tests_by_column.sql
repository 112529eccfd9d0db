-- The indexes are for PostgreSQL alone; both engines have the same migrations.
DROP INDEX IF EXISTS `testmgmt_tests_classified`;
