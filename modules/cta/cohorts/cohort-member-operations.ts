import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import type { Context } from '../../../core/host/host.ts';
import { closedObject } from '../../../core/base/schema.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { fail } from '../base/errors.ts';
import { operation } from '../base/operation.ts';
import { canonicalUserId, tenantOf, tenantParameter, userIdText } from '../base/parameters.ts';
import { writeBesideCatalogue } from '../tenants/tenant-change.ts';
import { cohortNameParameter } from './cohort-definition.ts';
import { addMembers, removeMembers } from './cohort-member-store.ts';
import { cohortRecord, cohortRecordOf } from './cohort-record.ts';
import { cohortNamed } from './cohort-store.ts';

/** The most users one call may name. */
const maxUsers = 100_000;

export const userIdsParameter = Type.Array(userIdText('A user, as in auth-userid.'), {
  minItems: 1,
  maxItems: maxUsers,
  description: `Users, at most ${maxUsers} a call, all or nothing. More in further calls.`,
});

const changedCohortRecord = closedObject({
  ...cohortRecord.properties,
  changed: Type.Integer({ description: 'How many users this call added or removed.' }),
});

const memberInput = closedObject({
  tenantId: tenantParameter,
  cohortName: cohortNameParameter,
  userIds: userIdsParameter,
});

export const addCohortUsers = operation({
  name: 'add-cohort-users',
  title: 'Add users to a cohort',
  description:
    `Adds users to a cohort of kind list, at most ${maxUsers} a call, all or nothing; its users stay in it. It counts from ` +
    'the next launch of each user on.',
  input: memberInput,
  output: changedCohortRecord,
  access: member('write'),
  effect: 'update',
  additive: true,
  named: ['cohortName'],
  handler: (input, context) => changeMembers(addMembers, input, context),
});

export const removeCohortUsers = operation({
  name: 'remove-cohort-users',
  title: 'Remove users from a cohort',
  description: `Removes users from a cohort of kind list, at most ${maxUsers} a call, all or nothing; users who are not in it are ignored.`,
  input: memberInput,
  output: changedCohortRecord,
  access: member('write'),
  effect: 'update',
  confirm: 'add-cohort-users brings them back, if you still have the list.',
  named: ['cohortName'],
  handler: (input, context) => changeMembers(removeMembers, input, context),
});

/** Launches read list members from the database, so a change of members changes no catalogue. */
async function changeMembers(
  change: typeof addMembers,
  input: { readonly tenantId?: string; readonly cohortName: string; readonly userIds: readonly string[] },
  context: Context,
) {
  const { clock, signal } = context;
  const users = await canonicalUserIds(input.userIds, signal);
  const target = { tenantId: tenantOf(input), right: 'write' } as const;
  const { cohort, changed } = await writeBesideCatalogue(context, target, async (q, { tenantId }) => {
    const known = await cohortNamed(q, tenantId, input.cohortName);
    if (known.definition.kind !== 'list') {
      throw fail.INVALID_COHORT(`The cohort is of kind ${known.definition.kind}: it has no list of users.`, {
        cause: 'cohortName',
        tip: 'Use update-cohort to change it, or create-cohort to create one of kind list.',
      });
    }
    return change(q, known, users, { now: clock.now(), signal });
  });
  return { ...cohortRecordOf(cohort), changed };
}

/** @throws Fault INVALID_REQUEST naming the index of an id beyond 64 bits. */
export async function canonicalUserIds(userIds: readonly string[], signal: AbortSignal) {
  const users: string[] = [];
  for (const [index, userId] of userIds.entries()) {
    users.push(canonicalUserId(userId, `userIds[${index}]`));
    if (turnIsOver()) await nextTurn(signal);
  }
  return users;
}
