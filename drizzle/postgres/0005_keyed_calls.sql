CREATE TABLE "core_keyed_calls" (
	"user_id" bigint NOT NULL,
	"key" text NOT NULL,
	"fingerprint" text NOT NULL,
	"answer" text NOT NULL,
	"at" bigint NOT NULL,
	CONSTRAINT "core_keyed_calls_user_id_key_pk" PRIMARY KEY("user_id","key")
);
