CREATE TABLE "cta_state_usage" (
	"tenant_id" text PRIMARY KEY NOT NULL,
	"states" bigint NOT NULL,
	"bytes" bigint NOT NULL,
	"counted_at" bigint
);
