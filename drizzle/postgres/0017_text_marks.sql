CREATE TABLE "testmgmt_text_marks" (
	"project_id" bigint NOT NULL,
	"test_id" bigint NOT NULL,
	"m0" bigint NOT NULL,
	"m1" bigint NOT NULL,
	"m2" bigint NOT NULL,
	"m3" bigint NOT NULL,
	"m4" bigint NOT NULL,
	"m5" bigint NOT NULL,
	"m6" bigint NOT NULL,
	"m7" bigint NOT NULL,
	"m8" bigint NOT NULL,
	"m9" bigint NOT NULL,
	"m10" bigint NOT NULL,
	"m11" bigint NOT NULL,
	CONSTRAINT "testmgmt_text_marks_project_id_test_id_pk" PRIMARY KEY("project_id","test_id")
);

DROP INDEX "testmgmt_tests_filter";
ALTER TABLE "testmgmt_tests" ADD COLUMN "marked_at" bigint;
CREATE INDEX "testmgmt_text_marks_open" ON "testmgmt_text_marks" USING btree ("test_id") WHERE m0 = -1;
CREATE INDEX "testmgmt_tests_unmarked" ON "testmgmt_tests" USING btree ("project_id","id") WHERE marked_at is distinct from updated_at;