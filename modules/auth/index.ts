export { organizationIds, userIds } from './people/id-listings.ts';
export { identity } from './sessions/identity.ts';
export { requireAdministersAll } from './people/administrator.ts';
export { addLocalMember } from './people/local-member.ts';
export { movedPerson } from './people/moved-person.ts';
export { memberRecord, memberRecordOf } from './people/member-record.ts';
export {
  isMember,
  isMemberSince,
  memberOf,
  membersAmong,
  pageOfFormerMembers,
  pageOfMembers,
  peopleEverCalled,
  sinceMember,
  wasEverMember,
  type Member,
} from './people/member-store.ts';
export {
  pageOfWrites,
  writeById,
  writesOfRecord,
  type MarkedWrite,
  type WantedWrites,
  type Write,
} from './audit/write-page-store.ts';
export { letterAddress } from './letters/letter-address.ts';
export { claimsToBeOurs } from './sessions/own-token.ts';
export { firstOrganization, organizationsOf } from './people/organization-store.ts';
export { consoleSignIn, consoleSignInPage, consoleSignInPath } from './oauth/console-sign-in.ts';
export { signInLink } from './oauth/sign-in-link.ts';
export { linkOwner } from './people/token-owner.ts';
export { browserActor, endBrowserSession } from './sessions/browser-session.ts';
export { namesOfUsers, userById } from './people/user-store.ts';
export type { Calls as AuthCalls } from './tools/tool-files.ts';
