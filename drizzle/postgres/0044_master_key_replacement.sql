ALTER TABLE "auth_master_key_checks" ADD COLUMN "successor_wrapped" text;
ALTER TABLE "auth_master_key_checks" ADD COLUMN "previous_wrapped" text;
ALTER TABLE "auth_master_key_checks" ADD COLUMN "replaced_at" bigint;