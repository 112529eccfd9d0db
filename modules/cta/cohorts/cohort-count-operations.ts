import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { closedObject, words } from '../../../core/base/schema.ts';
import { operation } from '../base/operation.ts';
import { tenantOf, tenantParameter } from '../base/parameters.ts';
import { belongsTo, cohortKinds } from '../rules/cohort.ts';
import { tenantFor } from '../tenants/tenant-access.ts';
import { cohortNameParameter } from './cohort-definition.ts';
import { cohortNamed } from './cohort-store.ts';
import { countKnownUsers, readKnownUsers, maxExamined } from './known-user-store.ts';

const noLists: ReadonlySet<number> = new Set();

export const countCohortUsers = operation({
  name: 'count-cohort-users',
  title: 'Count the users of a cohort',
  description:
    'Counts the users that a cohort has or matches: of kind list its users; of the other kinds those among the users that the ' +
    `tenant knows, i.e. of whom it has a state or attributes. Of more than ${maxExamined} known users it looks at a sample, spread ` +
    'evenly over all, and estimates (sampled). It reads more than get-cohort, which has the size of a list as well.',
  input: closedObject({ tenantId: tenantParameter, cohortName: cohortNameParameter }),
  output: closedObject({
    tenantId: Type.String(),
    cohortName: Type.String(),
    kind: words(cohortKinds, { description: 'How its users are chosen.' }),
    known: Type.Integer({ description: 'Users that the tenant knows.' }),
    matching: Type.Integer({ description: 'Users of the list, or known users that match.' }),
    examined: Type.Integer({ description: 'How many it looked at; 0 for a list.' }),
    sampled: Type.Boolean({ description: 'matching is an estimate from those it looked at.' }),
  }),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q }, clock, signal }) => {
    const { tenantId } = await tenantFor(q, actor, tenantOf(input), 'read');
    const cohort = await cohortNamed(q, tenantId, input.cohortName);
    const { kind } = cohort.definition;
    const known = await countKnownUsers(q, tenantId, signal);
    const about = { tenantId, cohortName: cohort.name, kind, known };
    if (kind === 'list') return { ...about, matching: cohort.size, examined: 0, sampled: false };
    const now = clock.now();
    let [examined, found] = [0, 0];
    const asked = { known, attributes: kind === 'attributes' };
    for await (const users of readKnownUsers(q, tenantId, asked, signal)) {
      examined += users.length;
      for (const user of users) if (belongsTo(cohort, { ...user, lists: noLists }, now)) found++;
    }
    const sampled = examined < known;
    const matching = sampled ? Math.round((found / Math.max(1, examined)) * known) : found;
    return { ...about, matching, examined, sampled };
  },
});
