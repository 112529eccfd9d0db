import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { closedObject, nullable } from '../../../core/base/schema.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { fail } from '../base/errors.ts';
import { operation } from '../base/operation.ts';
import {
  canonicalUserId,
  ownerParameter,
  tenantOf,
  tenantParameter,
  userIdText,
} from '../base/parameters.ts';
import type { Properties } from '../rules/filter.ts';
import { tenantFor } from '../tenants/tenant-access.ts';
import { writeBesideCatalogue } from '../tenants/tenant-change.ts';
import { attributesOf, writeAttributes, type KnownAttributes } from './attribute-store.ts';

const maxUsers = 10_000;
const maxAttributes = 100;
const maxTextLength = 1024;

const attributes = Type.Unsafe<Properties>(
  Type.Object(
    {},
    {
      additionalProperties: true,
      description: `Name to text, number or boolean, e.g. {"city":"Rome","installedAt":1767225600000}; at most ${maxAttributes}. {} deletes those of the user.`,
    },
  ),
);

const userId = userIdText('The user, as in auth-userid.');

export const setUserAttributes = operation({
  name: 'set-user-attributes',
  title: 'Store attributes of users',
  description:
    'Stores the attributes of users that cohorts of kind attributes filter by, and replaces those stored before; ' +
    `at most ${maxUsers} users a call, all or nothing. They count from the next launch of each user on.`,
  input: closedObject({
    tenantId: tenantParameter,
    orgId: ownerParameter,
    users: Type.Array(closedObject({ userId, attributes }, { description: 'A user and the attributes.' }), {
      minItems: 1,
      maxItems: maxUsers,
      description: 'Users, each once.',
    }),
  }),
  output: closedObject({ tenantId: Type.String(), users: Type.Integer() }),
  access: member('write'),
  effect: 'update',
  handler: async (input, context) => {
    const { signal } = context;
    const users: KnownAttributes[] = [];
    for (const [index, user] of input.users.entries()) {
      users.push({
        userId: canonicalUserId(user.userId, `users[${index}].userId`),
        attributes: checkedAttributes(user.attributes, `users[${index}].attributes`),
      });
      if (turnIsOver()) await nextTurn(signal);
    }
    if (new Set(users.map((user) => user.userId)).size < users.length) {
      throw fail.INVALID_REQUEST('users must not name a user twice.', { cause: 'users' });
    }
    const claim = { tenantId: tenantOf(input), orgId: input.orgId };
    return writeBesideCatalogue(context, { claim }, async (q, { tenantId }) => {
      await writeAttributes(q, tenantId, users, { now: context.clock.now(), signal });
      return { tenantId, users: users.length };
    });
  },
});

export const getUserAttributes = operation({
  name: 'get-user-attributes',
  title: 'Read the attributes of a user',
  description:
    'Returns the attributes that set-user-attributes stored of a user; {} and null if there are none.',
  input: closedObject({ tenantId: tenantParameter, userId }),
  output: closedObject({
    tenantId: Type.String(),
    userId: Type.String(),
    attributes,
    updatedAt: nullable(Type.Integer()),
  }),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q } }) => {
    const { tenantId } = await tenantFor(q, actor, tenantOf(input), 'read');
    const user = canonicalUserId(input.userId, 'userId');
    const known = (await attributesOf(q, tenantId, user)) ?? { attributes: {}, updatedAt: null };
    return { tenantId, userId: user, ...known };
  },
});

/** @throws Fault INVALID_REQUEST naming the path of the invalid attribute. */
function checkedAttributes(given: Properties, path: string): Properties {
  const entries = Object.entries(given);
  const bad = (name: string, problem: string) =>
    fail.INVALID_REQUEST(`${path}${name} ${problem}.`, { cause: 'users' });
  if (entries.length > maxAttributes) throw bad('', `must have at most ${maxAttributes} attributes`);
  for (const [name, value] of entries) {
    if (name.length > 255) throw bad('', 'must not have a name longer than 255 characters');
    if (!['string', 'number', 'boolean'].includes(typeof value)) {
      throw bad(`.${name}`, 'must be a text, a number or a boolean');
    }
    if (typeof value === 'string' && value.length > maxTextLength) {
      throw bad(`.${name}`, `must have at most ${maxTextLength} characters`);
    }
  }
  return given;
}
