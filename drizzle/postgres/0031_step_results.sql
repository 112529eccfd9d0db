CREATE TABLE "testmgmt_result_steps" (
	"result_id" bigint PRIMARY KEY NOT NULL,
	"steps" text NOT NULL
);

ALTER TABLE "testmgmt_result_steps" ADD CONSTRAINT "testmgmt_result_steps_result_id_testmgmt_results_id_fk" FOREIGN KEY ("result_id") REFERENCES "public"."testmgmt_results"("id") ON DELETE cascade ON UPDATE no action;
CREATE INDEX "testmgmt_attachments_result" ON "testmgmt_attachments" USING btree ("result_id") WHERE result_id is not null;