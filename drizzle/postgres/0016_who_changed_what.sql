CREATE TABLE "auth_audit_records" (
	"kind" text NOT NULL,
	"record_id" bigint NOT NULL,
	"audit_id" bigint NOT NULL,
	CONSTRAINT "auth_audit_records_kind_record_id_audit_id_pk" PRIMARY KEY("kind","record_id","audit_id")
);

ALTER TABLE "auth_audit" ADD COLUMN "project_id" bigint;
ALTER TABLE "auth_audit" ADD COLUMN "run_id" bigint;
ALTER TABLE "auth_audit" ADD COLUMN "changes" text;
ALTER TABLE "testmgmt_options" ADD COLUMN "updated_by" bigint;
ALTER TABLE "testmgmt_options" ADD COLUMN "updated_at" bigint;
ALTER TABLE "testmgmt_labels" ADD COLUMN "updated_by" bigint;
ALTER TABLE "testmgmt_labels" ADD COLUMN "updated_at" bigint;
ALTER TABLE "testmgmt_projects" ADD COLUMN "updated_by" bigint;
ALTER TABLE "testmgmt_runs" ADD COLUMN "updated_by" bigint;
ALTER TABLE "testmgmt_runs" ADD COLUMN "updated_at" bigint;
ALTER TABLE "testmgmt_sections" ADD COLUMN "updated_by" bigint;
ALTER TABLE "testmgmt_sections" ADD COLUMN "updated_at" bigint;
ALTER TABLE "testmgmt_squads" ADD COLUMN "updated_by" bigint;
ALTER TABLE "testmgmt_squads" ADD COLUMN "updated_at" bigint;
CREATE INDEX "auth_audit_records_entry" ON "auth_audit_records" USING btree ("audit_id");
CREATE INDEX "auth_audit_project" ON "auth_audit" USING btree ("project_id","id") WHERE project_id is not null;
CREATE INDEX "auth_audit_run" ON "auth_audit" USING btree ("run_id","id") WHERE run_id is not null;