CREATE TABLE "testmgmt_unmatched_results" (
	"run_id" bigint NOT NULL,
	"project_id" bigint NOT NULL,
	"key_hash" text NOT NULL,
	"key" text NOT NULL,
	"name_from" bigint NOT NULL,
	"name_to" bigint NOT NULL,
	"status" text NOT NULL,
	"flaky" boolean NOT NULL,
	"attempts" text NOT NULL,
	"file" text,
	"line" bigint,
	"details" text,
	"rename_of" bigint,
	"similarity" bigint,
	"declined" boolean DEFAULT false NOT NULL,
	CONSTRAINT "testmgmt_unmatched_results_run_id_key_hash_pk" PRIMARY KEY("run_id","key_hash")
);

ALTER TABLE "testmgmt_unmatched_results" ADD CONSTRAINT "testmgmt_unmatched_results_run_id_testmgmt_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."testmgmt_runs"("id") ON DELETE cascade ON UPDATE no action;
CREATE INDEX "testmgmt_unmatched_results_key" ON "testmgmt_unmatched_results" USING btree ("project_id","key_hash","run_id");