ALTER TABLE "testmgmt_tests" ADD COLUMN "updated_by" bigint;
CREATE INDEX "testmgmt_test_labels_label" ON "testmgmt_test_labels" USING btree ("label_id","test_id");