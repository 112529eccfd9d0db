import type { Elysia } from 'elysia';
import { isoTime } from '../../../core/base/clock.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { htmlAnswer, markup } from '../../../core/http/answer/html-page.ts';
import { networkOf } from '../../../core/http/request/client-address.ts';
import { exchangeOf } from '../../../core/http/request/exchange.ts';
import { sharedRateLimit } from '../../../core/http/rate/rate-exchange.ts';
import { admit, type RateLimit } from '../../../core/http/rate/rate-limit.ts';
import { mediaResult } from '../../../core/http/server/openapi.ts';
import { perHost, type Host } from '../../../core/host/host.ts';
import { testmgmtSettings } from '../base/settings.ts';
import { loadReport } from '../reports/report-content-store.ts';
import { reportHtml } from '../reports/report-html.ts';
import { runSentence } from '../rules/run-sentence.ts';
import { statusCounts } from '../rules/test-status.ts';
import { milestoneRecordOf } from '../milestones/milestone-record.ts';
import { milestoneOf, progressOfMilestones } from '../milestones/milestone-store.ts';
import type { Run } from '../runs/run-row.ts';
import { newestRuns } from '../runs/run-store.ts';
import { unmatchedCounts } from '../runs/unmatched-result-store.ts';
import { sharePath } from './share-link-operations.ts';
import { runOfLink, sharedBy } from './share-link-store.ts';
import { projectPage } from './share-page.ts';

const limits = perHost((host): RateLimit =>
  sharedRateLimit(host, 'share', host.config.follow(testmgmtSettings, 'rate-share')),
);

/** Nothing runs, nothing is loaded, nobody indexes it, and no other site learns the address. */
const headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex, nofollow, noarchive',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
} as const;

/** Runs on the page of a project. */
const shownRuns = 20;

/**
 * `GET /share/{code}`: a report for whoever has the link (create-share-link). An unknown, expired or revoked link, one of a deleted run and
 * one of a person who left get the same 404.
 */
export function shareRoutes(app: Elysia, host: Host): void {
  app.get(
    `${sharePath}:code`,
    async ({ request, params }) => {
      admit(request, limits(host), networkOf(exchangeOf(request).clientAddress()));
      const code = params.code ?? '';
      return (/^[\w-]{43}$/.test(code) ? await reportFor(host, code, request.signal) : undefined) ?? ended();
    },
    {
      parse: 'none',
      detail: {
        summary: 'A report that was shared by a link (HTML), without a sign-in',
        responses: mediaResult('text/html'),
      },
    },
  );
}

async function reportFor(host: Host, code: string, signal: AbortSignal): Promise<Response | undefined> {
  const { q } = host.db;
  const now = host.clock.now();
  const shared = await sharedBy(q, code, now);
  if (!shared) return undefined;
  const { link, project } = shared;
  if (link.runId === null) {
    const { milestoneId } = link;
    const milestone = milestoneId === null ? undefined : await sharedMilestone(q, project.id, milestoneId);
    if (milestoneId !== null && !milestone) return undefined;
    const rows = await newestRuns(q, project.id, {
      limit: shownRuns,
      ...(milestoneId !== null && { milestoneId }),
    });
    const unmatched = await unmatchedCounts(
      q,
      rows.map(({ id }) => id),
    );
    const page = projectPage({
      projectName: project.name,
      madeAt: isoTime(now),
      runs: rows.map((run) => sharedRun(run, unmatched.get(run.id)?.failed)),
      ...(milestone && { milestone }),
    });
    return new Response(page, { headers });
  }
  const run = await runOfLink(q, link.runId);
  if (!run) return undefined;
  const report = await loadReport(q, { project, run, now, signal });
  const pieces = reportHtml(report);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (turnIsOver()) await nextTurn(signal);
      const { done, value } = pieces.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
  });
  return new Response(body, { headers });
}

async function sharedMilestone(q: Query, projectId: number, milestoneId: number) {
  const milestone = await milestoneOf(q, projectId, milestoneId);
  const progress = (await progressOfMilestones(q, [milestoneId])).get(milestoneId);
  return milestone && progress && milestoneRecordOf(milestone, progress);
}

/** @param failedCases of no test. */
const sharedRun = (run: Run, failedCases?: number) => ({
  runName: run.name,
  createdAt: isoTime(run.createdAt),
  counts: statusCounts(run),
  verdict: runSentence(statusCounts(run), failedCases),
});

const ended = (): Response =>
  htmlAnswer({
    title: 'No report',
    style:
      ':root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}',
    body: markup`<main><h1>There is no report here</h1><p>The link has expired or was revoked. Ask the person who sent it for another one.</p></main>`,
    status: 404,
    headers: { 'X-Robots-Tag': headers['X-Robots-Tag'] },
  });
