CREATE TABLE "auth_former_members" (
	"org_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	CONSTRAINT "auth_former_members_org_id_user_id_pk" PRIMARY KEY("org_id","user_id")
);

ALTER TABLE "auth_former_members" ADD CONSTRAINT "auth_former_members_org_id_auth_organizations_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."auth_organizations"("id") ON DELETE cascade ON UPDATE no action;
ALTER TABLE "auth_former_members" ADD CONSTRAINT "auth_former_members_user_id_auth_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."auth_users"("id") ON DELETE cascade ON UPDATE no action;

-- Who has left before: the audit log says it, as far as it goes back.
INSERT INTO auth_former_members (org_id, user_id)
SELECT DISTINCT o.id, u.id
FROM auth_audit a
JOIN auth_users u ON u.id = a.user_id
JOIN auth_organizations o ON o.id = cast(cast(a.ids AS jsonb) ->> 'orgId' AS bigint)
WHERE a.event = 'role_changed' AND a.cause = 'none';
