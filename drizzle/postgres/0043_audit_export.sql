CREATE TABLE "auth_audit_exports" (
	"target" text PRIMARY KEY NOT NULL,
	"cursor" bigint NOT NULL,
	"sequence" bigint NOT NULL,
	"previous" text,
	"pending_to" bigint,
	"public_jwks" text NOT NULL,
	"private_wrapped" text,
	"lease_by" text,
	"lease_until" bigint NOT NULL,
	"exported_at" bigint,
	"failing_since" bigint,
	"failure" text
);
