CREATE TABLE "checkmate_imported" (
	"source" text NOT NULL,
	"kind" text NOT NULL,
	"parent_id" bigint NOT NULL,
	"foreign_id" bigint NOT NULL,
	"our_id" bigint NOT NULL,
	"at" bigint NOT NULL,
	CONSTRAINT "checkmate_imported_source_kind_parent_id_foreign_id_pk" PRIMARY KEY("source","kind","parent_id","foreign_id")
);
