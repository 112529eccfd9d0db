import { Type } from '@sinclair/typebox';
import { adminOr, member } from '../../../core/base/actor.ts';
import { closedObject, words } from '../../../core/base/schema.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import { fail } from '../base/errors.ts';
import { operation } from '../base/operation.ts';
import {
  descriptionParameter,
  ownerParameter,
  tagName,
  tenantOf,
  tenantParameter,
} from '../base/parameters.ts';
import { cohortKinds, everybody } from '../rules/cohort.ts';
import { publishScope, tenantFor } from '../tenants/tenant-access.ts';
import { changeTenant } from '../tenants/tenant-change.ts';
import { cohortDefinitionOf, cohortDefinitionParameters, cohortNameParameter } from './cohort-definition.ts';
import { canonicalUserIds, userIdsParameter } from './cohort-member-operations.ts';
import { addMembers, removeAllMembers } from './cohort-member-store.ts';
import { cohortRecord, cohortRecordOf } from './cohort-record.ts';
import {
  cohortNamed,
  insertCohort,
  maxCohorts,
  maxListUsers,
  pageOfCohorts,
  removeCohort,
  requireUnused,
  writeCohort,
} from './cohort-store.ts';

const description = descriptionParameter('Who is meant.');

export const createCohort = operation({
  name: 'create-cohort',
  title: 'Create a cohort',
  description:
    'Creates a group of users that the rule of a CTA can name in cohortEligibility: a list of users (at most ' +
    `${maxListUsers}; add-cohort-users adds more), a percentage of all users by a stable hash of seed and user, or the users ` +
    `whose attributes pass filters. A tenant has at most ${maxCohorts} cohorts.`,
  input: closedObject({
    tenantId: tenantParameter,
    orgId: ownerParameter,
    cohortName: tagName('The name that rules use. Not "all", which is everybody.'),
    description,
    kind: words(cohortKinds, { description: 'list of users, percentage of all, or by attributes.' }),
    userIds: Type.Optional({ ...userIdsParameter, minItems: 0 }),
    ...cohortDefinitionParameters,
    seed: Type.Optional(
      tagName(
        'For kind percentage: cohorts with the same seed choose the same users first. Default the cohortName, so that ' +
          'cohorts are independent.',
      ),
    ),
  }),
  output: cohortRecord,
  access: member('write'),
  effect: 'create',
  named: ['cohortName'],
  handler: async (input, context) => {
    const { clock, signal } = context;
    const { cohortName: name } = input;
    if (name === everybody) {
      throw fail.INVALID_COHORT(`"${everybody}" is everybody already.`, {
        cause: 'cohortName',
        tip: 'Use another cohortName.',
      });
    }
    const definition = cohortDefinitionOf(input);
    const users = await canonicalUserIds(input.userIds ?? [], signal);
    const now = clock.now();
    const claim = { tenantId: tenantOf(input), orgId: input.orgId };
    const made = await changeTenant(context, { claim }, async (q, { tenantId }) => {
      const given = { tenantId, name, description: input.description?.trim() ?? '', definition };
      const cohort = await insertCohort(q, given, { by: context.actor.userId, now });
      return users.length === 0 ? cohort : (await addMembers(q, cohort, users, { now, signal })).cohort;
    });
    return cohortRecordOf(made);
  },
});

export const updateCohort = operation({
  name: 'update-cohort',
  title: 'Change a cohort',
  description:
    'Changes the percentage, the filters or the description of a cohort; its kind and seed stay. Launches follow within a ' +
    'second. add-cohort-users and remove-cohort-users change the users of a list.',
  input: closedObject({
    tenantId: tenantParameter,
    cohortName: cohortNameParameter,
    description,
    ...cohortDefinitionParameters,
  }),
  output: cohortRecord,
  access: member('write'),
  effect: 'update',
  named: ['cohortName'],
  handler: (input, context) => {
    const { percentage, filters } = input;
    if (percentage === undefined && filters === undefined && input.description === undefined) {
      throw fail.NOTHING_TO_UPDATE('No field to change was given.');
    }
    const target = { tenantId: tenantOf(input), right: 'write' } as const;
    return changeTenant(context, target, async (q, { tenantId }) => {
      const known = await cohortNamed(q, tenantId, input.cohortName);
      const definition = cohortDefinitionOf({
        cohortName: known.name,
        ...known.definition,
        ...(percentage !== undefined && { percentage }),
        ...(filters !== undefined && { filters }),
      });
      const description = input.description?.trim() ?? known.description;
      return cohortRecordOf(await writeCohort(q, known, { definition, description }, context.clock.now()));
    });
  },
});

export const getCohort = operation({
  name: 'get-cohort',
  title: 'Read a cohort',
  description: 'Returns one cohort: its kind, how its users are chosen, and the size of a list.',
  input: closedObject({ tenantId: tenantParameter, cohortName: cohortNameParameter }),
  output: cohortRecord,
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q } }) => {
    const { tenantId } = await tenantFor(q, actor, tenantOf(input), 'read');
    return cohortRecordOf(await cohortNamed(q, tenantId, input.cohortName));
  },
});

export const listCohorts = operation({
  name: 'list-cohorts',
  title: 'List cohorts',
  description:
    'Lists the cohorts of a tenant, the oldest first. explain-cta shows whether a user is in those of a CTA.',
  input: closedObject({ tenantId: tenantParameter, ...paging }),
  output: page('cohorts', cohortRecord),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q } }) => {
    const { limit, offset } = pageOf(input);
    const { tenantId } = await tenantFor(q, actor, tenantOf(input), 'read');
    const { total, rows } = await pageOfCohorts(q, tenantId, { limit, offset });
    return { total, limit, offset, cohorts: rows.map(cohortRecordOf) };
  },
});

export const deleteCohort = operation({
  name: 'delete-cohort',
  title: 'Delete a cohort',
  description:
    'Deletes a cohort and its list of users. Fails if the rule of a CTA that has not ended names it. ' +
    `Needs the role admin or the token scope ${publishScope}.`,
  input: closedObject({ tenantId: tenantParameter, cohortName: cohortNameParameter }),
  output: cohortRecord,
  access: adminOr(publishScope),
  effect: 'delete',
  confirm: 'This cannot be undone.',
  named: ['cohortName'],
  handler: (input, context) => {
    const target = { tenantId: tenantOf(input), right: 'publish' } as const;
    return changeTenant(context, target, async (q, { tenantId }) => {
      const cohort = await cohortNamed(q, tenantId, input.cohortName);
      await requireUnused(q, cohort);
      await removeAllMembers(q, cohort.id, context.signal);
      await removeCohort(q, cohort);
      return cohortRecordOf(cohort);
    });
  },
});
