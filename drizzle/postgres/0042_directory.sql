ALTER TABLE "auth_identities" ADD COLUMN "groups" text;
ALTER TABLE "auth_identities" ADD COLUMN "groups_at" bigint;
ALTER TABLE "auth_members" ADD COLUMN "group_role" text;
ALTER TABLE "auth_members" ADD COLUMN "hand_role" text;
ALTER TABLE "auth_sessions" ADD COLUMN "provider_sid" text;
CREATE INDEX "auth_identities_groups" ON "auth_identities" USING btree ("groups_at") WHERE groups_at is not null;
CREATE INDEX "auth_sessions_provider_sid" ON "auth_sessions" USING btree ("provider_sid") WHERE provider_sid is not null;