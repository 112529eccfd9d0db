import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { isoTime } from '../../../core/base/clock.ts';
import { closedObject } from '../../../core/base/schema.ts';
import { operationIn } from '../../../core/tools/operation.ts';
import { page } from '../../../core/tools/page.ts';
import { listPageOf, listPaging, projectId } from '../base/parameters.ts';
import { projectFor } from '../projects/project-store.ts';
import { pageOfFollowed, setFollow } from './follow-store.ts';

/** Who follows what is no activity of a project: others do not see it. */
const personalOperation = operationIn('extra');

export const followProject = personalOperation({
  name: 'follow-project',
  title: 'Follow a project',
  description:
    'Sends you letters by e-mail about a project: runs in which tests newly fail, milestones that are due tomorrow or overdue. ' +
    '`follow: false` ends it. get-letter-settings says whether this server sends letters.',
  input: closedObject({
    projectId,
    follow: Type.Optional(Type.Boolean({ default: true, description: 'false: no more.' })),
  }),
  output: closedObject({ projectId: Type.Integer(), follows: Type.Boolean() }),
  access: member('read'),
  effect: 'update',
  handler: (input, { actor, db, clock }) =>
    db.tx(async (q) => {
      await projectFor(q, actor, input.projectId, 'read');
      const row = { projectId: input.projectId, userId: actor.userId, since: clock.now() };
      await setFollow(q, row, input.follow !== false);
      return { projectId: input.projectId, follows: input.follow !== false };
    }),
});

export const listFollowedProjects = personalOperation({
  name: 'list-followed-projects',
  title: 'List the projects that you follow',
  description: 'Lists the projects about which you get letters by e-mail. follow-project changes that.',
  input: closedObject({ ...listPaging }),
  output: page(
    'projects',
    closedObject({ projectId: Type.Integer(), projectName: Type.String(), since: Type.String() }),
  ),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db }) => {
    const { limit, offset } = listPageOf(input);
    const { total, rows } = await pageOfFollowed(db.q, actor, { limit, offset });
    const projects = rows.map(({ project, since }) => ({
      projectId: project.id,
      projectName: project.name,
      since: isoTime(since),
    }));
    return { total, limit, offset, projects };
  },
});
