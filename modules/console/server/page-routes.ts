import type { Elysia } from 'elysia';
import type { Actor } from '../../../core/base/actor.ts';
import type { Host } from '../../../core/host/host.ts';
import { jsonAnswer } from '../../../core/http/answer/answer.ts';
import { exchangeOf } from '../../../core/http/request/exchange.ts';
import { coreSettings } from '../../../core/settings/settings.ts';
import type { CallerTools } from '../../../core/tools/executor.ts';
import { pageCaller, requireOwnPage } from '../../../core/http/caller/page-caller.ts';
import { backupDownload } from './backup-download.ts';
import {
  browserActor,
  consoleSignIn,
  consoleSignInPage,
  consoleSignInPath,
  endBrowserSession,
  firstOrganization,
  organizationsOf,
  userById,
} from '../../auth/index.ts';

const hidden = { parse: 'none', detail: { hide: true } } as const;

const noStore = { 'Cache-Control': 'no-store' };

/** The actor of a request from one of our own pages. @throws Fault ORIGIN_NOT_ALLOWED, UNAUTHENTICATED. */
export const personOf = (host: Host, request: Request): Promise<Actor> =>
  pageCaller(host, { browser: (of, sent) => browserActor(of, sent) }, request);

/** The routes only for pages of the console: signing in and out, who is signed in, a backup. */
export function pageRoutes(
  app: Elysia,
  host: Host,
  toolsOf: (request: Request) => Promise<CallerTools>,
): void {
  app.get(consoleSignInPath, ({ request }) => consoleSignInPage(host, request), hidden);
  app.post(consoleSignInPath, ({ request }) => consoleSignIn(host, request), hidden);
  app.post(
    '/console/sign-out',
    async ({ request }) => {
      requireOwnPage(host, request);
      const cookie = await endBrowserSession(host, request, exchangeOf(request).clientAddress());
      return jsonAnswer({ signedOut: true }, { 'Set-Cookie': cookie, ...noStore });
    },
    hidden,
  );
  app.get(
    '/console/backup',
    async ({ request }) => backupDownload(host, await personOf(host, request)),
    hidden,
  );
  app.get(
    '/console/me',
    async ({ request }) => {
      requireOwnPage(host, request);
      return jsonAnswer(await describe(host, await toolsOf(request)), noStore);
    },
    hidden,
  );
}

/** The tool without which the pages of a module have nothing to show: an operator may offer only some toolsets. */
const firstTools: Readonly<Record<string, string>> = { testmgmt: 'get-projects', cta: 'list-ctas' };

/** What a page must know to show what its person may do. */
async function describe(host: Host, { actor: { userId, roles }, offers }: CallerTools) {
  const { q } = host.db;
  const [user, organizations, first] = await Promise.all([
    userById(q, userId),
    organizationsOf(q, roles),
    firstOrganization(q),
  ]);
  return {
    userId,
    name: user?.name ?? null,
    email: user?.email ?? null,
    organizations: organizations.map(({ id, name }) => ({
      orgId: id,
      orgName: name,
      role: roles.get(id) ?? 'reader',
    })),
    administersServer: first !== undefined && roles.get(first) === 'admin',
    modules: host.modules.filter((name) => {
      const tool = Object.hasOwn(firstTools, name) ? firstTools[name] : undefined;
      return tool === undefined || offers(tool);
    }),
    isReadOnly: host.config.read(coreSettings)['read-only'] ?? false,
    version: host.version,
  };
}
