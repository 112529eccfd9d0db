CREATE TABLE "auth_used_id_tokens" (
	"hash" text PRIMARY KEY NOT NULL,
	"expires_at" bigint NOT NULL
);

ALTER TABLE "auth_audit" ADD COLUMN "provider" text;
CREATE INDEX "auth_used_id_tokens_expiry" ON "auth_used_id_tokens" USING btree ("expires_at");
CREATE INDEX "auth_sessions_expiry" ON "auth_sessions" USING btree ("expires_at");