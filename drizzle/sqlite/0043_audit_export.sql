CREATE TABLE `auth_audit_exports` (
	`target` text PRIMARY KEY NOT NULL,
	`cursor` integer NOT NULL,
	`sequence` integer NOT NULL,
	`previous` text,
	`pending_to` integer,
	`public_jwks` text NOT NULL,
	`private_wrapped` text,
	`lease_by` text,
	`lease_until` integer NOT NULL,
	`exported_at` integer,
	`failing_since` integer,
	`failure` text
);
