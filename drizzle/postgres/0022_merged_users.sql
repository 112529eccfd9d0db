ALTER TABLE "auth_users" ADD COLUMN "merged_into" bigint;
CREATE INDEX "auth_users_merged" ON "auth_users" USING btree ("merged_into") WHERE merged_into is not null;