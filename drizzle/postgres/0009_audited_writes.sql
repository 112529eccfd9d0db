CREATE TABLE "auth_master_key_checks" (
	"id" bigint PRIMARY KEY NOT NULL,
	"fingerprint" text NOT NULL,
	"created_at" bigint NOT NULL
);

ALTER TABLE "auth_access_tokens" ADD COLUMN "read_toolsets" text;
ALTER TABLE "auth_access_tokens" ADD COLUMN "grants" text;
ALTER TABLE "auth_access_tokens" ADD COLUMN "made_with" text;
ALTER TABLE "auth_audit" ADD COLUMN "operation" text;
ALTER TABLE "auth_audit" ADD COLUMN "ids" text;
ALTER TABLE "auth_audit" ADD COLUMN "surface" text;
ALTER TABLE "auth_audit" ADD COLUMN "credential" text;