export { organizationIds, peopleAndOrganizations } from './id-listings.ts';
export { identity } from './sessions/identity.ts';
export { memberRecord, memberRecordOf } from './people/member-record.ts';
export { memberOf, membersByEmail, pageOfMembers, type Member } from './people/member-store.ts';
export { pageOfWrites, type WantedWrites, type Write } from './audit/write-page-store.ts';
export { claimsToBeOurs } from './sessions/own-token.ts';
export { firstOrganization, organizationsOf } from './people/organization-store.ts';
export { signInLink, useSignInLink } from './oauth/sign-in-link.ts';
