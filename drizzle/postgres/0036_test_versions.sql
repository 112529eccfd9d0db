CREATE TABLE "testmgmt_section_versions" (
	"section_id" bigint NOT NULL,
	"version" bigint NOT NULL,
	"from_at" bigint NOT NULL,
	"until_at" bigint NOT NULL,
	"by_user" bigint,
	"write_id" bigint,
	"name" text NOT NULL,
	"parent_id" bigint,
	"deleted_at" bigint,
	CONSTRAINT "testmgmt_section_versions_section_id_version_pk" PRIMARY KEY("section_id","version")
);

CREATE TABLE "testmgmt_test_versions" (
	"test_id" bigint NOT NULL,
	"version" bigint NOT NULL,
	"from_at" bigint NOT NULL,
	"until_at" bigint NOT NULL,
	"by_user" bigint,
	"write_id" bigint,
	"name" text NOT NULL,
	"section_id" bigint,
	"priority_id" bigint,
	"type_id" bigint,
	"automation_status_id" bigint,
	"platform_id" bigint,
	"test_covered_by_id" bigint,
	"squad_id" bigint,
	"estimate_seconds" bigint,
	"deleted_at" bigint,
	"labels" text NOT NULL,
	"description" text,
	"preconditions" text,
	"steps" text,
	CONSTRAINT "testmgmt_test_versions_test_id_version_pk" PRIMARY KEY("test_id","version")
);

ALTER TABLE "auth_audit" ADD COLUMN "write_id" bigint;
ALTER TABLE "testmgmt_sections" ADD COLUMN "version" bigint DEFAULT 1 NOT NULL;
ALTER TABLE "testmgmt_sections" ADD COLUMN "created_write" bigint;
ALTER TABLE "testmgmt_tests" ADD COLUMN "version" bigint DEFAULT 1 NOT NULL;
ALTER TABLE "testmgmt_tests" ADD COLUMN "created_write" bigint;
ALTER TABLE "testmgmt_section_versions" ADD CONSTRAINT "testmgmt_section_versions_section_id_testmgmt_sections_id_fk" FOREIGN KEY ("section_id") REFERENCES "public"."testmgmt_sections"("id") ON DELETE cascade ON UPDATE no action;
ALTER TABLE "testmgmt_test_versions" ADD CONSTRAINT "testmgmt_test_versions_test_id_testmgmt_tests_id_fk" FOREIGN KEY ("test_id") REFERENCES "public"."testmgmt_tests"("id") ON DELETE cascade ON UPDATE no action;
CREATE INDEX "testmgmt_section_versions_write" ON "testmgmt_section_versions" USING btree ("write_id","section_id") WHERE write_id is not null;
CREATE INDEX "testmgmt_test_versions_write" ON "testmgmt_test_versions" USING btree ("write_id","test_id") WHERE write_id is not null;
CREATE INDEX "testmgmt_sections_created_write" ON "testmgmt_sections" USING btree ("created_write") WHERE created_write is not null;
CREATE INDEX "testmgmt_tests_created_write" ON "testmgmt_tests" USING btree ("created_write") WHERE created_write is not null;
CREATE INDEX "testmgmt_tests_many_versions" ON "testmgmt_tests" USING btree ("id") WHERE version > 10000;