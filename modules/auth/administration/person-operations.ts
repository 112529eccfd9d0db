import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { closedObject } from '../../../core/base/schema.ts';
import { fail } from '../base/errors.ts';
import { operation } from '../base/operation.ts';
import { memberRecord, memberRecordOf } from '../people/member-record.ts';
import { membersByKey, type PersonKey } from '../people/member-store.ts';

const keyText = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description }));

export const getUser = operation({
  name: 'get-user',
  title: 'Find a user',
  description:
    'Finds members of the organizations that you administer by e-mail address, or by external id: issuer and subject, the claims ' +
    '"iss" and "sub" of the ID token of their identity provider. An address may have several users, and is not proof of who ' +
    'somebody is. get-user-details reads a user by userId.',
  input: closedObject({
    email: keyText(320, 'The address, in any case.'),
    issuer: keyText(2048, 'The claim "iss", e.g. https://accounts.google.com. Needs subject.'),
    subject: keyText(255, 'The claim "sub". Needs issuer.'),
  }),
  output: closedObject({ users: Type.Array(memberRecord) }),
  access: member('admin'),
  effect: 'read',
  handler: async (input, { actor, db: { q } }) => {
    const administered = [...actor.roles].flatMap(([orgId, role]) => (role === 'admin' ? [orgId] : []));
    const found = await membersByKey(q, administered, keyOf(input));
    // The same text for an unknown person and for one of another organization: it must not reveal who has an account.
    if (found.length === 0) {
      throw fail.USER_NOT_FOUND('No member of the organizations that you administer has this key.');
    }
    return { users: found.map(memberRecordOf) };
  },
});

interface GivenKey {
  readonly email?: string;
  readonly issuer?: string;
  readonly subject?: string;
}

/** @throws Fault INVALID_REQUEST unless it is either an address, or issuer and subject. */
function keyOf({ email, issuer, subject }: GivenKey): PersonKey {
  if (email !== undefined && issuer === undefined && subject === undefined) return { email };
  if (email === undefined && issuer !== undefined && subject !== undefined) return { issuer, subject };
  throw fail.INVALID_REQUEST('Invalid arguments for get-user: give email, or issuer and subject.', {
    cause: email === undefined ? (issuer === undefined ? 'issuer' : 'subject') : 'email',
    tip: 'Call get-user with {"email": "…"} or with {"issuer": "…", "subject": "…"}.',
  });
}
