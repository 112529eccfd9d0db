CREATE TABLE `auth_former_members` (
	`org_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	PRIMARY KEY(`org_id`, `user_id`),
	FOREIGN KEY (`org_id`) REFERENCES `auth_organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `auth_users`(`id`) ON UPDATE no action ON DELETE cascade
);

-- Who has left before: the audit log says it, as far as it goes back.
INSERT INTO auth_former_members (org_id, user_id)
SELECT DISTINCT o.id, u.id
FROM auth_audit a
JOIN auth_users u ON u.id = a.user_id
JOIN auth_organizations o ON o.id = json_extract(a.ids, '$.orgId')
WHERE a.event = 'role_changed' AND a.cause = 'none';
