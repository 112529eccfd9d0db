CREATE TABLE "testmgmt_external_ids" (
	"project_id" bigint NOT NULL,
	"source" text NOT NULL,
	"external_id" text NOT NULL,
	"test_id" bigint NOT NULL,
	CONSTRAINT "testmgmt_external_ids_project_id_source_external_id_pk" PRIMARY KEY("project_id","source","external_id")
);

ALTER TABLE "testmgmt_external_ids" ADD CONSTRAINT "testmgmt_external_ids_project_id_testmgmt_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."testmgmt_projects"("id") ON DELETE cascade ON UPDATE no action;
ALTER TABLE "testmgmt_external_ids" ADD CONSTRAINT "testmgmt_external_ids_test_id_testmgmt_tests_id_fk" FOREIGN KEY ("test_id") REFERENCES "public"."testmgmt_tests"("id") ON DELETE cascade ON UPDATE no action;
CREATE INDEX "testmgmt_external_ids_test" ON "testmgmt_external_ids" USING btree ("test_id");