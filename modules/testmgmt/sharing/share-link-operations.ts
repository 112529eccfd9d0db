import { Type } from '@sinclair/typebox';
import { member, type Actor } from '../../../core/base/actor.ts';
import { isoTime } from '../../../core/base/clock.ts';
import type { Query } from '../../../core/db/query/db.ts';
import type { Host } from '../../../core/host/host.ts';
import { closedObject, nullable, recordId } from '../../../core/base/schema.ts';
import { page } from '../../../core/tools/page.ts';
import { fail } from '../base/errors.ts';
import { extraOperation } from '../base/operation.ts';
import { listPageOf, listPaging, milestoneId, projectId, runId } from '../base/parameters.ts';
import { milestoneIn, milestoneNotFound, projectOfMilestone } from '../milestones/milestone-store.ts';
import { projectFor, projectToChange, visibleProject } from '../projects/project-store.ts';
import { calendarSpan } from '../query/field-kinds/query-time.ts';
import { runFor, runNotFound, runOf } from '../runs/run-store.ts';
import {
  codeHash,
  countOfProject,
  deleteShareLink,
  insertShareLink,
  pageOfShareLinks,
  shareLinkOf,
  type ShareLink,
} from './share-link-store.ts';

const day = 86_400_000;
const longestDays = 90;
const defaultDays = 30;
/** Most live links of a project. */
const linkLimit = 1_000;

export const sharePath = '/share/';

const linkRecord = {
  shareLinkId: Type.Integer(),
  projectId: Type.Integer(),
  runId: nullable(Type.Integer()),
  milestoneId: nullable(Type.Integer({ description: 'Both null: the last runs of the project.' })),
  createdBy: Type.Integer(),
  createdAt: Type.String(),
  expiresAt: Type.String(),
};

const linkRecordOf = (link: ShareLink) => ({
  shareLinkId: link.id,
  projectId: link.projectId,
  runId: link.runId,
  milestoneId: link.milestoneId,
  createdBy: link.by,
  createdAt: isoTime(link.createdAt),
  expiresAt: isoTime(link.expiresAt),
});

export const createShareLink = extraOperation({
  name: 'create-share-link',
  title: 'Share a report by a link',
  description:
    'Makes a link by which anybody may read the report of a run (runId), the progress of a milestone (milestoneId), or the last runs of a project (projectId), without a sign-in, for at ' +
    'most 90 days. The address is returned once. It ends when it is revoked, or when who made it leaves the organization.',
  input: closedObject({
    projectId: Type.Optional(projectId),
    runId: Type.Optional(runId),
    milestoneId: Type.Optional(milestoneId),
    expiresAt: Type.Optional(
      Type.String({
        maxLength: 40,
        description: `A day (to its end in UTC) or a time, at most ${longestDays} days ahead; by default in ${defaultDays} days.`,
      }),
    ),
  }),
  output: closedObject({ ...linkRecord, url: Type.String({ description: 'Who has it may read.' }) }),
  access: member('write'),
  effect: 'create',
  secret: true,
  handler: (input, { actor, db, host, clock, wrote }) => {
    const now = clock.now();
    const expiresAt = expiryOf(input.expiresAt, now);
    return db.tx(async (q) => {
      const shared = await sharedOf(q, actor, input);
      await projectToChange(q, actor, shared.projectId);
      if ((await countOfProject(q, shared.projectId, now)) >= linkLimit)
        throw fail.TOO_MANY_SHARE_LINKS(`Project ${shared.projectId} has ${linkLimit} live links already.`);
      const code = Buffer.from(host.random(32)).toString('base64url');
      const row = { ...shared, hash: codeHash(code), by: actor.userId, createdAt: now, expiresAt };
      const link = await insertShareLink(q, row);
      wrote({ projectId: link.projectId, ...(link.runId === null ? {} : { runId: link.runId }) });
      return { ...linkRecordOf(link), url: addressOf(host, code) };
    });
  },
});

const addressOf = (host: Pick<Host, 'origin'>, code: string): string => `${host.origin()}${sharePath}${code}`;

/** A day counts to its end, as that of a quarantine. @throws Fault INVALID_REQUEST. */
function expiryOf(given: string | undefined, now: number): number {
  if (given === undefined) return now + defaultDays * day;
  const refused = (why: string) =>
    fail.INVALID_REQUEST(`expiresAt ${why}.`, {
      cause: 'expiresAt',
      tip: 'Write a day as 2026-12-01, or a time as 2026-12-01T09:00Z.',
    });
  // Other programs write microseconds.
  const text = given.replace(/(\.\d{3})\d{1,6}/, '$1');
  const span = calendarSpan(text);
  if (!span) throw refused(`is no time: "${given}"`);
  const { from, until } = span;
  if (until <= now || until > now + longestDays * day + (until - from))
    throw refused(`must be in the future, at most ${longestDays} days ahead`);
  return until;
}

/** What is shared. @throws Fault as {@link projectFor}, {@link runFor}. */
async function sharedOf(
  q: Query,
  actor: Actor,
  given: { readonly projectId?: number; readonly runId?: number; readonly milestoneId?: number },
): Promise<Pick<ShareLink, 'projectId' | 'runId' | 'milestoneId'>> {
  const { projectId: project, runId: run, milestoneId: milestone } = given;
  if (run !== undefined && milestone !== undefined)
    throw fail.INVALID_REQUEST('Give runId or milestoneId, not both.', { cause: 'milestoneId' });
  if (milestone !== undefined) return sharedMilestone(q, actor, milestone, project);
  if (run === undefined && project === undefined)
    throw fail.INVALID_REQUEST('What is shared? Give runId, milestoneId or projectId.', { cause: 'runId' });
  if (run === undefined)
    return {
      projectId: (await projectFor(q, actor, project ?? 0, 'write')).id,
      runId: null,
      milestoneId: null,
    };
  if (project !== undefined) {
    await runFor(q, actor, { projectId: project, runId: run }, 'write');
    return { projectId: project, runId: run, milestoneId: null };
  }
  const found = await runOf(q, run);
  if (!found || !(await visibleProject(q, actor, found.projectId, 'write'))) throw runNotFound(run);
  return { projectId: found.projectId, runId: run, milestoneId: null };
}

/** @throws Fault MILESTONE_NOT_FOUND, as {@link projectFor}. */
async function sharedMilestone(q: Query, actor: Actor, milestone: number, project: number | undefined) {
  const of = project ?? (await projectOfMilestone(q, milestone));
  if (of === undefined || (project === undefined && !(await visibleProject(q, actor, of, 'write'))))
    throw milestoneNotFound(milestone);
  await projectFor(q, actor, of, 'write');
  await milestoneIn(q, of, milestone);
  return { projectId: of, runId: null, milestoneId: milestone };
}

export const listShareLinks = extraOperation({
  name: 'list-share-links',
  title: 'List links to reports',
  description:
    'Lists the live links of a project by which anybody may read reports, without their addresses.',
  input: closedObject({ projectId, ...listPaging }),
  output: page('links', closedObject(linkRecord)),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q }, clock }) => {
    await projectFor(q, actor, input.projectId, 'read');
    const { limit, offset } = listPageOf(input);
    const of = { projectId: input.projectId, now: clock.now() };
    const { total, rows } = await pageOfShareLinks(q, of, { limit, offset });
    return { total, limit, offset, links: rows.map(linkRecordOf) };
  },
});

export const revokeShareLink = extraOperation({
  name: 'revoke-share-link',
  title: 'End a link to a report',
  description: 'Ends a link at once: whoever opens it gets 404.',
  input: closedObject({ shareLinkId: recordId('From list-share-links.') }),
  output: closedObject(linkRecord),
  access: member('write'),
  effect: 'delete',
  confirm: 'Whoever has the link can no longer read the report.',
  handler: ({ shareLinkId }, { actor, db, wrote }) =>
    db.tx(async (q) => {
      const link = await shareLinkOf(q, shareLinkId);
      if (!link || !(await visibleProject(q, actor, link.projectId, 'write')))
        throw fail.SHARE_LINK_NOT_FOUND(`There is no link ${shareLinkId}.`, { cause: 'shareLinkId' });
      await deleteShareLink(q, shareLinkId);
      wrote({ projectId: link.projectId, ...(link.runId === null ? {} : { runId: link.runId }) });
      return linkRecordOf(link);
    }),
});
