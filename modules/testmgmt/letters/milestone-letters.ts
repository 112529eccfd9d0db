import { counted } from '../../../core/base/counted-noun.ts';
import type { Addressee, Host, LetterContent, LetterFacts } from '../../../core/host/host.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { queueLetters } from '../../../core/letters/letter-store.ts';
import { sendsLetters } from '../../../core/letters/smtp-settings.ts';
import { dayOf } from '../base/day.ts';
import { everyRow } from '../base/statement-sizes.ts';
import { followersOf } from '../following/follow-store.ts';
import { openMilestones } from '../milestones/due-milestone-store.ts';
import { milestoneOf, progressOfMilestones, type Milestone } from '../milestones/milestone-store.ts';
import { projectOf } from '../projects/project-store.ts';
import { followerAddress, projectAddress, reasonOf } from './follower.ts';
import { milestoneMoment, toldDays } from './milestone-moment.ts';

const milestoneKind = 'milestone-due';

/** How often milestones are looked at. */
export const milestonesEveryMs = 10 * 60_000;

/** Queues the letters about open milestones: one when the last day is tomorrow, one when it is over. */
export async function tellMilestones(host: Host, signal: AbortSignal): Promise<void> {
  if (!sendsLetters(host)) return;
  const now = host.clock.now();
  const told = await everyRow((after) => openMilestones(host.db.q, toldDays(now), after), signal);
  for (const { id, projectId, dueOn } of told) {
    const moment = dueOn === null ? null : milestoneMoment(dueOn, now);
    if (moment === null || dueOn === null || signal.aborted) continue;
    const userIds = await followersOf(host.db.q, projectId);
    if (userIds.length === 0) continue;
    const about = `${id}:${dayOf(dueOn)}:${moment}`;
    const facts = { projectId, milestoneId: id, dueOn, moment };
    const letters = userIds.map((userId) => ({ kind: milestoneKind, to: { userId }, about, facts }));
    await host.db.tx((q) => queueLetters(q, host, letters));
  }
}

/** The letter about a milestone, unless it was closed, moved or deleted meanwhile, or another letter says now that it is overdue. */
export async function writeMilestone(
  host: Host,
  { projectId, milestoneId, dueOn, moment }: LetterFacts,
  to: Addressee,
): Promise<LetterContent | null> {
  const { q } = host.db;
  const project = await projectOf(q, Number(projectId));
  const milestone = project && (await milestoneOf(q, project.id, Number(milestoneId)));
  if (!project || !milestone || milestone.closedAt !== null || milestone.dueOn !== dueOn) return null;
  const address = await followerAddress(q, project.id, to);
  if (address === null) return null;
  const present = milestoneMoment(Number(dueOn), host.clock.now());
  // A letter that an earlier version stored says what is true now.
  if (moment === 'due' && present !== 'due') return null;
  const isOver = (moment ?? present) === 'overdue';
  const day = dayOf(Number(dueOn));
  return {
    to: address,
    subject: `${isOver ? 'Overdue' : 'Due'} ${day}: ${milestone.name}`,
    text: [
      isOver
        ? `The last day of the milestone ${milestone.name} of ${project.name} was ${day}, and it is open.`
        : `The last day of the milestone ${milestone.name} of ${project.name} is ${day} (UTC).`,
      await progressText(q, milestone),
    ],
    link: { name: 'Open the milestones', url: projectAddress(host, project.id, 'milestones') },
    reason: reasonOf(project.name),
  };
}

async function progressText(q: Query, { id }: Milestone): Promise<string> {
  const progress = (await progressOfMilestones(q, [id])).get(id);
  if (!progress || progress.runs === 0) return 'It has no runs.';
  const { runs, openRuns, passed, failed, blocked, retest, untested } = progress;
  return `It has ${counted(runs, 'run')}; not locked: ${openRuns}. Tests passed: ${passed}, failed: ${failed}, blocked: ${blocked}, to do: ${untested + retest}.`;
}
