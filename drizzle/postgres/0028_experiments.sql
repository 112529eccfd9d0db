CREATE TABLE "cta_holdouts" (
	"tenant_id" text NOT NULL,
	"name" text NOT NULL,
	"share" bigint NOT NULL,
	"seed" text NOT NULL,
	"scope" text NOT NULL,
	"created_by" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	CONSTRAINT "cta_holdouts_tenant_id_name_pk" PRIMARY KEY("tenant_id","name")
);

ALTER TABLE "cta_ctas" ADD COLUMN "experiment" text;
ALTER TABLE "cta_ctas" ADD COLUMN "experiment_started_at" bigint;
ALTER TABLE "cta_ctas" ADD COLUMN "experiment_stopped_at" bigint;
ALTER TABLE "cta_tenants" ADD COLUMN "delivery" text;