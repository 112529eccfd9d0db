CREATE TABLE "auth_oauth_requests" (
	"id" text PRIMARY KEY NOT NULL,
	"client_id" text,
	"redirect_uri" text,
	"state" text,
	"challenge" text,
	"scope" text,
	"resources" text NOT NULL,
	"browser_hash" text,
	"provider" text,
	"upstream_state" text,
	"code_hash" text,
	"user_code_hash" text,
	"poll_after" bigint,
	"poll_seconds" bigint,
	"invitation_id" bigint,
	"user_id" bigint,
	"status" text NOT NULL,
	"session_id" text,
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL
);

ALTER TABLE "auth_sessions" ADD COLUMN "scope" text;
CREATE UNIQUE INDEX "auth_oauth_requests_state" ON "auth_oauth_requests" USING btree ("upstream_state");
CREATE UNIQUE INDEX "auth_oauth_requests_code" ON "auth_oauth_requests" USING btree ("code_hash");
CREATE UNIQUE INDEX "auth_oauth_requests_user_code" ON "auth_oauth_requests" USING btree ("user_code_hash");
CREATE INDEX "auth_oauth_requests_expiry" ON "auth_oauth_requests" USING btree ("expires_at");