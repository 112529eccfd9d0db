import type { Elysia } from 'elysia';
import type { Host } from '../../../core/host/host.ts';
import { queryOf } from '../../../core/http/request/query.ts';
import { fail } from '../base/errors.ts';
import { badge } from '../reports/badge.ts';
import { testmgmtSettings } from '../base/settings.ts';
import { unmatchedCounts } from '../runs/unmatched-result-store.ts';
import { newestRun } from './rows/run-source-store.ts';

/**
 * `GET /badges/{projectId}.svg?branch=main`: the result of the newest run of a pipeline, for the page of a repository. Anyone may read it,
 * so it exists only for the projects that the operator names (`--badges`); any other project gets the same response as a missing one.
 */
export function badgeRoutes(app: Elysia, host: Host): void {
  const shown = new Set(host.config.read(testmgmtSettings).badges ?? []);
  if (shown.size === 0) return;
  app.get(
    '/badges/:file',
    async ({ request, params }) => {
      const id = /^(\d{1,15})\.svg$/.exec(params.file ?? '')?.[1];
      if (id === undefined || !shown.has(id)) throw fail.NOT_FOUND('There is no GET route for this path.');
      const query = queryOf(request);
      const branch = query.get('branch') ?? undefined;
      const run = await newestRun(host.db.q, Number(id), branch);
      const none = { passed: 0, failed: 0, blocked: 0, retest: 0, untested: 0 };
      const unmatched = run && (await unmatchedCounts(host.db.q, [run.id])).get(run.id);
      const counts = { ...none, ...run };
      counts.failed += unmatched?.failed ?? 0;
      return new Response(badge(counts, query.get('label') ?? branch ?? 'tests'), {
        headers: {
          'Content-Type': 'image/svg+xml; charset=utf-8',
          // Pages of repositories show images through their own cache.
          'Cache-Control': 'public, max-age=60',
          'Content-Security-Policy': "default-src 'none'; sandbox",
          'X-Content-Type-Options': 'nosniff',
        },
      });
    },
    {
      parse: 'none',
      detail: { summary: 'The newest result of a project as a badge (SVG), if --badges names it' },
    },
  );
}
