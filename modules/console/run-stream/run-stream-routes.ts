import type { Elysia } from 'elysia';
import type { Actor } from '../../../core/base/actor.ts';
import { fail } from '../../../core/base/errors.ts';
import type { Host } from '../../../core/host/host.ts';
import { jsonAnswer } from '../../../core/http/answer/answer.ts';
import { queryOf } from '../../../core/http/request/query.ts';
import { watchEnd } from '../../../core/http/answer/stream-end.ts';
import { browserActor } from '../../auth/index.ts';
import { moveInRun } from './run-presence.ts';
import { runStream, streamHeaders } from './run-stream.ts';
import type { WatchedRun } from './run-watch.ts';

/** The maximum concurrent streams of one person. A browser has one for each window that shows a run. */
const mostStreams = 20;

const idOf = (text: string | null): number | undefined =>
  text !== null && /^[1-9]\d{0,15}$/.test(text) ? Number(text) : undefined;

const windowOf = (text: string | null): string | undefined =>
  text !== null && /^[\w-]{1,64}$/.test(text) ? text : undefined;

/**
 * `GET /console/run-changes?projectId=&runId=&after=&window=`: what changes in a run while a page shows it.
 * `POST /console/run-place?runId=&window=&testId=`: the test that is selected in that window.
 */
export function runStreamRoutes(
  app: Elysia,
  host: Host,
  personOf: (request: Request) => Promise<Actor>,
): void {
  const open = new Map<number, number>();
  app.get(
    '/console/run-changes',
    async ({ request }) => {
      const actor = await personOf(request);
      const query = queryOf(request);
      const [projectId, runId] = [idOf(query.get('projectId')), idOf(query.get('runId'))];
      if (projectId === undefined || runId === undefined)
        throw fail.INVALID_REQUEST('projectId and runId must be ids.', { cause: 'runId' });
      const run = await visibleRun(host, actor, { projectId, runId });
      // The router answers HEAD by reading what GET answers to its end, which this has not.
      if (request.method === 'HEAD') return new Response(null, { headers: streamHeaders });
      const { userId } = actor;
      const count = open.get(userId) ?? 0;
      if (count >= mostStreams)
        throw fail.RATE_LIMITED(`You have ${mostStreams} runs open. Close one of their windows.`, {
          retryAfter: 10,
        });
      open.set(userId, count + 1);
      const response = runStream(host, run, {
        after: query.get('after') ?? undefined,
        userId,
        window: windowOf(query.get('window')),
        // An open window does not count as use of the session.
        mayRead: async () => (await browserActor(host, request, false))?.roles.has(run.orgId) === true,
      });
      return watchEnd(response, () => {
        const left = (open.get(userId) ?? 1) - 1;
        if (left === 0) open.delete(userId);
        else open.set(userId, left);
      });
    },
    { parse: 'none', detail: { hide: true } },
  );
  app.post(
    '/console/run-place',
    async ({ request }) => {
      const { userId } = await personOf(request);
      const query = queryOf(request);
      const [runId, window] = [idOf(query.get('runId')), windowOf(query.get('window'))];
      if (runId === undefined || window === undefined)
        throw fail.INVALID_REQUEST('runId must be an id, and window the name of the window.', {
          cause: 'window',
        });
      // Whoever may not read the run has no stream of it, so no window.
      const isThere = moveInRun(host, { runId, window, userId }, idOf(query.get('testId')) ?? null);
      return jsonAnswer({ isThere }, { 'Cache-Control': 'no-store' });
    },
    { parse: 'none', detail: { hide: true } },
  );
}

/** The run with the organization of the actor that it belongs to. @throws Fault like get-run-changes. */
async function visibleRun(host: Host, { roles }: Actor, run: Omit<WatchedRun, 'orgId'>): Promise<WatchedRun> {
  let refused: unknown = fail.FORBIDDEN('You belong to no organization.', { cause: 'role' });
  for (const orgId of roles.keys()) {
    try {
      await host.readTool(orgId, 'get-run-changes', run);
      return { orgId, ...run };
    } catch (error) {
      refused = error;
    }
  }
  throw refused;
}
