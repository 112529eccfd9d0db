CREATE TABLE "core_rate_counts" (
	"key" text PRIMARY KEY NOT NULL,
	"since" bigint NOT NULL,
	"used" bigint NOT NULL
);
