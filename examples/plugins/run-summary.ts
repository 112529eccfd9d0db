import type { Host, Plugin, SettingTable, WriteEvent } from './trivet-plugin.d.ts';

/*
 * Posts what came out of a run to a chat: when somebody locks it, and a minute after the last upload of a pipeline to it. For incoming
 * webhooks of Slack, Mattermost and Discord. One file, no packages:
 * "trivet serve --plugin run-summary.ts --run-summary-url-file chat.url --run-summary-org 1".
 *
 * What is to be posted is a row that is written in the transaction of the write, so a post is neither lost nor made of what was not
 * committed. It may come twice if a server is killed after it has sent one.
 */
export const kit = 1;

/** What a chat or receiver with a certificate of a private authority fails with, and what the log says then. */
const untrusted = /^(DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(GET_ISSUER|VERIFY)|CERT_|ERR_TLS_CERT)/;
const remedy =
  'Its certificate is refused. If it is of an authority of your own, start Trivet with NODE_EXTRA_CA_CERTS=/etc/ssl/own-ca.pem (PEM).';

type Format = 'slack' | 'mattermost' | 'discord';

/** Names of failed tests that a post has. */
const shownNames = 10;

/** Attempts, each pause twice as long: about an hour. */
const mostAttempts = 12;
const firstPauseMs = 2_000;
const sendLimitMs = 15_000;
const leaseMs = 30_000;

/** Runs that are posted one after the other before the job pauses. */
const atOnce = 20;

/**
 * A name as plain text in a chat: no mention, no link, no formatting, one line. A mention is broken by a space of no width; Slack reads
 * only `&`, `<` and `>` as its markup (api.slack.com/reference/surfaces/formatting), the others Markdown.
 */
export function escaped(name: string, format: Format): string {
  const line = name.replaceAll(/\s+/g, ' ').trim();
  const short = (line.length > 120 ? `${line.slice(0, 119)}…` : line).replaceAll('@', '@\u200b');
  return format === 'slack'
    ? short.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    : short.replaceAll(/[\\`*_~|<>[\]()#]/g, '\\$&');
}

/** What run-detail and get-run-test-status say of a run. */
export interface RunSummary {
  readonly runName: string;
  readonly counts: Readonly<
    Record<'total' | 'passed' | 'failed' | 'blocked' | 'retest' | 'untested', number>
  >;
  readonly failed: readonly string[];
  /** Reported cases that match no test; they are not in `counts`. */
  readonly unmatched?: { readonly failed: number };
  readonly where: string;
}

export function summaryText(
  { runName, counts, failed, unmatched, where }: RunSummary,
  format: Format,
): string {
  const states = (['passed', 'failed', 'blocked', 'retest', 'untested'] as const)
    .filter((state) => counts[state] > 0)
    .map((state) => `${counts[state]} ${state}`);
  const more = counts.failed - failed.length;
  const withoutTest = unmatched?.failed ?? 0;
  return [
    `${counts.failed + withoutTest > 0 ? '❌' : '✅'} ${escaped(runName, format)}: ${states.join(', ') || 'no tests'} (${counts.total} in all)`,
    ...failed.map((name) => `• ${escaped(name, format)}`),
    ...(more > 0 && failed.length > 0 ? [`… and ${more} more`] : []),
    ...(withoutTest > 0 ? [`Failed without a test: ${withoutTest}`] : []),
    where,
  ].join('\n');
}

/** The body of an incoming webhook. */
export const bodyOf = (text: string, format: Format): object =>
  format === 'discord'
    ? { content: text.slice(0, 2_000), allowed_mentions: { parse: [] } }
    : { text: text.slice(0, 4_000) };

const runSummary: Plugin = ({ defineModule, columns, query }) => {
  const settings = {
    'run-summary-url': {
      type: 'string',
      secret: true,
      description: 'The incoming webhook of the chat. Whoever has it can post there, so it is a secret.',
    },
    'run-summary-format': {
      type: 'string',
      default: 'slack',
      choices: ['slack', 'mattermost', 'discord'],
      description: 'Which chat it is.',
    },
    'run-summary-org': {
      type: 'integer',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Post only runs of this organization. Without it, the chat sees those of all.',
    },
    'run-summary-quiet': {
      type: 'integer',
      default: 60,
      minimum: 1,
      maximum: 3_600,
      description: 'Seconds after the last upload to a run: the jobs of a build arrive one after the other.',
    },
    'run-summary-link': {
      type: 'string',
      value: 'URL',
      pattern: /^(https?:\/\/|\{origin\})/,
      description:
        'A page about a run, with {origin} (--public-url), {projectId} and {runId}; none by default.',
    },
  } as const satisfies SettingTable;

  const { table, id, int, time, forUpdate } = columns;
  const { and, asc, eq, lte, sql } = query;
  const posts = table('run_summary_posts', {
    id: id('id'),
    runId: int('run_id').notNull(),
    projectId: int('project_id').notNull(),
    orgId: int('org_id').notNull(),
    attempts: int('attempts').notNull(),
    dueAt: time('due_at').notNull(),
  });
  type Post = (typeof posts)['$inferSelect'];
  const columnsSql = (integer: string) =>
    `run_id ${integer} NOT NULL UNIQUE, project_id ${integer} NOT NULL, org_id ${integer} NOT NULL,
     attempts ${integer} NOT NULL, due_at ${integer} NOT NULL)`;

  /** When a run is to be posted, or undefined. Locking a run that is locked changes nothing. */
  function dueAt({ type, at, changes }: WriteEvent, quietSeconds: number): number | undefined {
    if (type === 'run-lock') return changes === null ? undefined : at;
    return type === 'ingest-results' ? at + quietSeconds * 1_000 : undefined;
  }

  /** Takes the next post that is due: no other server sends it until its lease ends. */
  async function claimed(host: Host): Promise<Post | undefined> {
    const now = host.clock.now();
    const next = host.db.q.select().from(posts).where(lte(posts.dueAt, now)).orderBy(asc(posts.id)).limit(1);
    const [found] = await next;
    if (!found) return undefined;
    return host.db.tx(async (q) => {
      const due = and(eq(posts.id, found.id), lte(posts.dueAt, now));
      const [held] = await forUpdate(q.select().from(posts).where(due));
      if (!held) return undefined;
      const taken = { dueAt: now + leaseMs, attempts: sql`${posts.attempts} + 1` };
      const [row] = await q.update(posts).set(taken).where(eq(posts.id, held.id)).returning();
      return row;
    });
  }

  async function textOf(host: Host, { orgId, projectId, runId }: Post, signal: AbortSignal): Promise<string> {
    const of = { projectId, runId };
    const failing = { ...of, status: 'failed', limit: shownNames };
    const run = (await host.readTool(orgId, 'run-detail', of, signal)) as Omit<RunSummary, 'failed'>;
    const page = (await host.readTool(orgId, 'get-run-test-status', failing, signal)) as {
      tests: { testName: string }[];
    };
    const { 'run-summary-format': format, 'run-summary-link': link } = host.config.read(settings);
    const values: Record<string, string> = {
      origin: host.origin(),
      projectId: `${projectId}`,
      runId: `${runId}`,
    };
    const where = link
      ? link.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
      : `run ${runId} of project ${projectId} at ${host.origin()}`;
    const failed = page.tests.map(({ testName }) => testName);
    return summaryText({ ...run, failed, where }, format as Format);
  }

  /** @returns a stable word for what went wrong: the message of an error may have the address. */
  async function sent(host: Host, url: string, post: Post, signal: AbortSignal): Promise<string | undefined> {
    let text: string;
    try {
      text = await textOf(host, post, signal);
    } catch (error) {
      // The run or its project was deleted meanwhile: there is nothing to say any more.
      if (error instanceof Error && 'status' in error && error.status === 404) return undefined;
      throw error;
    }
    const { 'run-summary-format': format } = host.config.read(settings);
    try {
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(bodyOf(text, format as Format)),
        signal: AbortSignal.any([signal, AbortSignal.timeout(sendLimitMs)]),
      });
      await response.body?.cancel();
      return response.ok ? undefined : `status_${response.status}`;
    } catch (error) {
      const name = error instanceof Error && 'code' in error ? String(error.code).slice(0, 60) : 'failed';
      if (untrusted.test(name)) host.log.warn('run_summary_certificate_refused', { code: name, remedy });
      return name;
    }
  }

  async function postAll(host: Host, signal: AbortSignal): Promise<void> {
    const url = host.config.read(settings)['run-summary-url'];
    if (url === undefined) return;
    for (let left = atOnce; left > 0 && !signal.aborted; left--) {
      const post = await claimed(host);
      if (!post) return;
      const problem = await sent(host, url, post, signal);
      // Unless another write about the run came meanwhile, or the lease ended: then the row is another one's.
      const own = and(eq(posts.id, post.id), eq(posts.dueAt, post.dueAt));
      const { runId, attempts } = post;
      if (problem === undefined) await host.db.tx((q) => q.delete(posts).where(own).returning());
      else if (signal.aborted) {
        const again = { dueAt: host.clock.now(), attempts: attempts - 1 };
        await host.db.tx((q) => q.update(posts).set(again).where(own).returning());
      } else if (attempts >= mostAttempts) {
        host.log.error('run_summary_given_up', { runId, attempts, problem });
        await host.db.tx((q) => q.delete(posts).where(own).returning());
      } else {
        host.log.warn('run_summary_failed', { runId, attempts, problem });
        const later = { dueAt: host.clock.now() + firstPauseMs * 2 ** (attempts - 1) };
        await host.db.tx((q) => q.update(posts).set(later).where(own).returning());
      }
    }
  }

  return defineModule({
    name: 'run_summary',
    requires: ['auth', 'testmgmt'],
    settings,
    tables: { posts },
    migrations: {
      sqlite: [
        {
          tag: '0000_posts',
          sql: `CREATE TABLE run_summary_posts (id integer PRIMARY KEY AUTOINCREMENT, ${columnsSql('integer')}`,
        },
      ],
      postgres: [
        {
          tag: '0000_posts',
          sql: `CREATE TABLE run_summary_posts (id bigint PRIMARY KEY GENERATED BY DEFAULT AS IDENTITY, ${columnsSql('bigint')}`,
        },
      ],
    },
    onWrite: async (q, event, { config }) => {
      const {
        'run-summary-org': only,
        'run-summary-quiet': quiet,
        'run-summary-url': url,
      } = config.read(settings);
      const { orgId, projectId, runId } = event;
      const due = dueAt(event, quiet);
      if (url === undefined || due === undefined || orgId === null || projectId === null || runId === null)
        return;
      if ((only ?? orgId) !== orgId) return;
      await q
        .insert(posts)
        .values({ runId, projectId, orgId, attempts: 0, dueAt: due })
        .onConflictDoUpdate({ target: posts.runId, set: { dueAt: due, attempts: 0 } });
    },
    jobs: [{ name: 'run-summary', everyMs: 1_000, run: postAll }],
    warnings: ({ config }) =>
      config.read(settings)['run-summary-url'] === undefined
        ? ['The plugin run_summary posts nothing: --run-summary-url-file is not given.']
        : [],
  });
};

export default runSummary;
