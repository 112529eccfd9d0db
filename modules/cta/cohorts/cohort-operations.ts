import { Type, type Static } from '@sinclair/typebox';
import { adminOr, member } from '../../../core/actor.ts';
import type { Context } from '../../../core/host.ts';
import { operation } from '../../../core/tools/operation.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import { words } from '../../../core/schema.ts';
import { nextTurn, turnIsOver } from '../../../core/turns.ts';
import { catalogues } from '../catalogue/catalogue-cache.ts';
import { buckets, cohortKinds, everybody, type CohortDefinition } from '../rules/cohort.ts';
import { addMembers, removeAllMembers, removeMembers } from './cohort-member-store.ts';
import { cohortLimit, cohortNamed, deleteCohort as removeCohort, insertCohort, listLimit, pageOfCohorts, requireUnused, writeCohort, type CohortRow } from './cohort-store.ts';
import { refuse } from '../errors.ts';
import { checkFilters } from '../rules/filter-check.ts';
import { canonicalUserId, closed, ownerParameter, tagName, tenantOf, tenantParameter, toolset, userIdText } from '../parameters.ts';
import type { FilterGroup } from '../rules/rule.ts';
import type { RuleFault } from '../rules/rule-check.ts';
import { claimTenant, publishGrant, raiseVersion, tenantFor } from '../tenants/tenant-store.ts';

/** Users of one call. */
const callLimit = 100_000;

const nameParameter = tagName('The cohort, as rules name it in cohortEligibility; list-cohorts lists them.');
const userIds = Type.Array(userIdText('A user, as apps name it in auth-userid.'), {
  minItems: 1,
  maxItems: callLimit,
  description: `Users, at most ${callLimit} a call; all of them are taken or none. More in further calls.`,
});
const definitionParameters = {
  percentage: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 100,
      description:
        'For kind percentage: how many of a hundred users, in steps of 0.01. Who is in stays in when it grows.',
    }),
  ),
  filters: Type.Optional(
    Type.Unsafe<FilterGroup>(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description:
            'For kind attributes: {operator: AND|OR, filter: [leaf or group]} as in the rule of a CTA, about what ' +
            'set-user-attributes stored. A missing attribute fails its leaf.',
        },
      ),
    ),
  ),
};

const description = Type.Optional(Type.String({ maxLength: 20_000, description: 'Who is meant.' }));

const cohortRecord = Type.Object(
  {
    cohortName: Type.String(),
    tenantId: Type.String(),
    description: Type.String(),
    kind: words(cohortKinds, { description: 'How it is decided who is in it.' }),
    percentage: Type.Optional(Type.Number()),
    seed: Type.Optional(Type.String()),
    filters: definitionParameters.filters,
    size: Type.Integer({ description: 'Users of a list; 0 for the other kinds, which are not counted.' }),
    createdBy: Type.Integer(),
    createdAt: Type.Integer(),
    updatedAt: Type.Integer(),
  },
  closed,
);

const answered = (cohort: CohortRow): Static<typeof cohortRecord> => ({
  cohortName: cohort.name,
  tenantId: cohort.tenantId,
  description: cohort.description,
  ...cohort.definition,
  size: cohort.size,
  createdBy: cohort.createdBy,
  createdAt: cohort.createdAt,
  updatedAt: cohort.updatedAt,
});

export const createCohort = operation({
  name: 'create-cohort',
  toolset,
  title: 'Create a cohort',
  description:
    'Creates a group of users that the rule of a CTA can name in cohortEligibility: a list of users (add-cohort-users adds ' +
    `more, ${listLimit} at most), a percentage of all by a stable hash of seed and user, or everybody whose attributes pass ` +
    `filters. A tenant has at most ${cohortLimit} cohorts.`,
  input: Type.Object(
    {
      tenantId: tenantParameter,
      orgId: ownerParameter,
      cohortName: tagName('The name; rules name the cohort by it. Not "all", which is everybody.'),
      description,
      kind: words(cohortKinds, { description: 'list of users, percentage of all, or by attributes.' }),
      userIds: Type.Optional({ ...userIds, minItems: 0 }),
      ...definitionParameters,
      seed: Type.Optional(
        tagName(
          'For kind percentage: cohorts with one seed choose the same users first. The cohortName unless given, so that ' +
            'cohorts are independent.',
        ),
      ),
    },
    closed,
  ),
  output: cohortRecord,
  access: member('write'),
  effect: 'create',
  named: ['cohortName'],
  handler: async (input, { actor, db, clock, host, signal, afterCommit }) => {
    const { cohortName: name } = input;
    if (name === everybody) {
      throw refuse.INVALID_COHORT(`"${everybody}" is everybody already.`, {
        cause: 'cohortName',
        tip: 'Use another cohortName.',
      });
    }
    const definition = definitionOf(input);
    const users = await canonical(input.userIds ?? [], signal);
    const tenantId = tenantOf(input);
    const now = clock.now();
    const cohort = await db.tx(async (q) => {
      await claimTenant(q, actor, { tenantId, orgId: input.orgId }, now);
      const given = { tenantId, name, description: input.description?.trim() ?? '', definition };
      const made = await insertCohort(q, { ...given, by: actor.userId, now });
      await raiseVersion(q, tenantId);
      return users.length === 0 ? made : (await addMembers(q, made, users, { now, signal })).cohort;
    });
    afterCommit(() => catalogues(host).forget(tenantId));
    return answered(cohort);
  },
});

export const updateCohort = operation({
  name: 'update-cohort',
  toolset,
  title: 'Change a cohort',
  description:
    'Changes the percentage, the filters or the description of a cohort; its kind and seed stay. Launches follow within a ' +
    'second. The users of a list are changed by add-cohort-users and remove-cohort-users.',
  input: Type.Object(
    { tenantId: tenantParameter, cohortName: nameParameter, description, ...definitionParameters },
    closed,
  ),
  output: cohortRecord,
  access: member('write'),
  effect: 'update',
  named: ['cohortName'],
  handler: async (input, { actor, db, clock, host, afterCommit }) => {
    const { percentage, filters } = input;
    if (percentage === undefined && filters === undefined && input.description === undefined) {
      throw refuse.NOTHING_TO_CHANGE('No field to change was given.');
    }
    const cohort = await db.tx(async (q) => {
      const { tenantId } = await tenantFor(q, actor, tenantOf(input), 'write');
      const known = await cohortNamed(q, tenantId, input.cohortName);
      const definition = definitionOf({ cohortName: known.name, ...known.definition, ...given(input) });
      const changed = {
        definition,
        ...(input.description !== undefined && { description: input.description.trim() }),
      };
      await raiseVersion(q, tenantId);
      return writeCohort(q, known, changed, clock.now());
    });
    afterCommit(() => catalogues(host).forget(cohort.tenantId));
    return answered(cohort);
  },
});

export const getCohort = operation({
  name: 'get-cohort',
  toolset,
  title: 'Read a cohort',
  description: 'Answers one cohort: its kind, how it decides, and how many users a list has.',
  input: Type.Object({ tenantId: tenantParameter, cohortName: nameParameter }, closed),
  output: cohortRecord,
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q } }) => {
    const { tenantId } = await tenantFor(q, actor, tenantOf(input), 'read');
    return answered(await cohortNamed(q, tenantId, input.cohortName));
  },
});

export const listCohorts = operation({
  name: 'list-cohorts',
  toolset,
  title: 'List cohorts',
  description:
    'Lists the cohorts of a tenant, the oldest first. explain-cta tells whether a user is in those of a CTA.',
  input: Type.Object({ tenantId: tenantParameter, ...paging }, closed),
  output: page('cohorts', cohortRecord),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q } }) => {
    const { limit, offset } = pageOf(input);
    const { tenantId } = await tenantFor(q, actor, tenantOf(input), 'read');
    const { total, rows } = await pageOfCohorts(q, tenantId, { limit, offset });
    return { total, limit, offset, cohorts: rows.map(answered) };
  },
});

const changedRecord = Type.Object(
  {
    ...cohortRecord.properties,
    changed: Type.Integer({ description: 'How many users this call really added or took out.' }),
  },
  closed,
);

export const addCohortUsers = operation({
  name: 'add-cohort-users',
  toolset,
  title: 'Add users to a cohort',
  description:
    `Adds users to a cohort of kind list, at most ${callLimit} a call, all or none; those who are in it stay. The next ` +
    'launch of each of them knows.',
  input: Type.Object({ tenantId: tenantParameter, cohortName: nameParameter, userIds }, closed),
  output: changedRecord,
  access: member('write'),
  effect: 'update',
  named: ['cohortName'],
  handler: (input, context) => changeMembers(addMembers, input, context),
});

export const removeCohortUsers = operation({
  name: 'remove-cohort-users',
  toolset,
  title: 'Take users out of a cohort',
  description: `Takes users out of a cohort of kind list, at most ${callLimit} a call, all or none; who is not in it is no matter.`,
  input: Type.Object({ tenantId: tenantParameter, cohortName: nameParameter, userIds }, closed),
  output: changedRecord,
  access: member('write'),
  effect: 'update',
  named: ['cohortName'],
  handler: (input, context) => changeMembers(removeMembers, input, context),
});

export const deleteCohort = operation({
  name: 'delete-cohort',
  toolset,
  title: 'Delete a cohort',
  description:
    'Deletes a cohort, and its list of users, unless the rule of a CTA that has not ended names it. ' +
    `Needs the role admin or the token scope ${publishGrant}.`,
  input: Type.Object({ tenantId: tenantParameter, cohortName: nameParameter }, closed),
  output: cohortRecord,
  access: adminOr(publishGrant),
  effect: 'delete',
  named: ['cohortName'],
  handler: async (input, { actor, db, host, signal, afterCommit }) => {
    const gone = await db.tx(async (q) => {
      const { tenantId } = await tenantFor(q, actor, tenantOf(input), 'publish');
      const cohort = await cohortNamed(q, tenantId, input.cohortName);
      await requireUnused(q, cohort);
      await removeAllMembers(q, cohort.id, signal);
      await removeCohort(q, cohort);
      await raiseVersion(q, tenantId);
      return cohort;
    });
    afterCommit(() => catalogues(host).forget(gone.tenantId));
    return answered(gone);
  },
});

/** Who is in a list is read by each launch, so no catalogue changes with it. */
async function changeMembers(
  change: typeof addMembers,
  input: { readonly tenantId?: string; readonly cohortName: string; readonly userIds: readonly string[] },
  { actor, db, clock, signal }: Context,
) {
  const users = await canonical(input.userIds, signal);
  const { cohort, changed } = await db.tx(async (q) => {
    const { tenantId } = await tenantFor(q, actor, tenantOf(input), 'write');
    const known = await cohortNamed(q, tenantId, input.cohortName);
    if (known.definition.kind !== 'list') {
      throw refuse.INVALID_COHORT(
        `The cohort is of kind ${known.definition.kind}: it has no list of users.`,
        {
          cause: 'cohortName',
          tip: 'Use update-cohort to change it, or create-cohort to make one of kind list.',
        },
      );
    }
    return change(q, known, users, { now: clock.now(), signal });
  });
  return { ...answered(cohort), changed };
}

async function canonical(ids: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
  const users: string[] = [];
  for (const [index, userId] of ids.entries()) {
    users.push(canonicalUserId(userId, `userIds[${index}]`));
    if (turnIsOver()) await nextTurn(signal);
  }
  return users;
}

interface Given {
  readonly cohortName: string;
  readonly kind: (typeof cohortKinds)[number];
  readonly userIds?: readonly string[];
  readonly percentage?: number;
  readonly seed?: string;
  readonly filters?: FilterGroup;
}

const given = ({ percentage, filters }: Pick<Given, 'percentage' | 'filters'>) => ({
  ...(percentage !== undefined && { percentage }),
  ...(filters !== undefined && { filters }),
});

/** @throws Fault INVALID_COHORT naming what is missing, wrong, or of another kind. */
function definitionOf({
  cohortName,
  kind,
  userIds: users,
  percentage,
  seed,
  filters,
}: Given): CohortDefinition {
  const of: Record<string, [unknown, CohortDefinition['kind']]> = {
    userIds: [users, 'list'],
    percentage: [percentage, 'percentage'],
    seed: [seed, 'percentage'],
    filters: [filters, 'attributes'],
  };
  for (const [parameter, [value, its]] of Object.entries(of)) {
    if (value !== undefined && its !== kind)
      throw invalid(parameter, `belongs to kind ${its}, not to ${kind}`);
  }
  switch (kind) {
    case 'list':
      return { kind };
    case 'percentage':
      if (percentage === undefined) throw invalid('percentage', 'is required for kind percentage');
      if (Math.abs(percentage * (buckets / 100) - Math.round(percentage * (buckets / 100))) > 1e-6) {
        throw invalid('percentage', 'must be a multiple of 0.01');
      }
      return { kind, percentage, seed: seed ?? cohortName };
    case 'attributes': {
      if (filters === undefined) throw invalid('filters', 'is required for kind attributes');
      const faults: RuleFault[] = [];
      checkFilters(filters, 'filters', (path, problem) => faults.push({ path, problem }));
      const [first] = faults;
      if (first) throw invalid(first.path, first.problem);
      return { kind, filters };
    }
  }
}

const invalid = (parameter: string, problem: string) =>
  refuse.INVALID_COHORT(`${parameter} ${problem}.`, { cause: parameter });
