import type { Actor, Config, Host, Plugin, Query, SettingTable, WriteEvent } from './trivet-plugin.d.ts';

/*
 * Webhooks: tells other programs of every write, signed as Standard Webhooks (standardwebhooks.com) has it. One file, no packages:
 * "trivet serve --plugin webhooks.ts --config trivet.toml", and in trivet.toml:
 *
 *   [webhooks-endpoints.build]
 *   url = "https://build.example/hooks/trivet"
 *   secret = "whsec_…"                         # echo "whsec_$(openssl rand -base64 32)"
 *   types = ["run-lock", "ingest-results"]     # unless given: every write
 *   orgId = 1                                  # unless given: of every organization
 *
 * A delivery is a row that is written in the transaction of the write: nothing is sent before the commit, and nothing that was
 * committed is lost. It is sent at least once: a server that is killed between sending and noting it sends it again with the same
 * webhook-id. Deliveries to one endpoint begin in the order of the writes, four at a time; a retry comes later than that.
 */
export const kit = 1;

/** What a chat or receiver with a certificate of a private authority fails with, and what the log says then. */
const untrusted = /^(DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(GET_ISSUER|VERIFY)|CERT_|ERR_TLS_CERT)/;
const remedy =
  'Its certificate is refused. If it is of an authority of your own, start Trivet with NODE_EXTRA_CA_CERTS=/etc/ssl/own-ca.pem (PEM).';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

/** Deliveries to one endpoint that are under way at once. */
const atOnce = 4;

/** How much longer than its time-out a delivery belongs to the server that took it. */
const leaseMarginMs = 10_000;

/** Dead letters are kept for as long as somebody may want to replay them. */
const deadKeptMs = 90 * day;

interface Endpoint {
  readonly url: string;
  readonly key: Uint8Array<ArrayBuffer>;
  readonly types: readonly string[] | undefined;
  readonly orgId: number | undefined;
}

/**
 * The pause after a failed attempt: base, then 4 times longer each time, at most a day; with full jitter from half of it, so that
 * receivers which come back do not get everything at once. With 5 s and 10 attempts: 5 s, 20 s, 80 s, 5 min, 21 min, 1.4 h, 5.7 h,
 * 23 h, 24 h. A receiver that says Retry-After gets at least that.
 * @param attempt 1 after the first.
 * @param chance from 0 to 1.
 */
export function retryPause(attempt: number, baseMs: number, chance: number, retryAfterMs = 0): number {
  const full = Math.min(day, baseMs * 4 ** (attempt - 1));
  return Math.max(Math.round(full / 2 + (full / 2) * chance), Math.min(day, retryAfterMs));
}

/** Nothing waits longer than this: a delivery that does has its time from a clock that was ahead, and is due. */
export const latestDue = (now: number): number => now + day + minute;

/** How long a receiver that says Retry-After wants to be left alone: seconds, or a date (RFC 9110 §10.2.3). 0: it says nothing of use. */
export function retryAfterOf(header: string | null, now: number): number {
  const text = header?.trim() ?? '';
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}

/** The bytes of a secret, or undefined when it is none: `whsec_` and 24 to 64 bytes in base64. */
export function keyOf(secret: string): Uint8Array<ArrayBuffer> | undefined {
  const text = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret.trim())?.[1];
  if (text === undefined || text.length % 4 !== 0) return undefined;
  const key = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return key.length >= 24 && key.length <= 64 ? key : undefined;
}

/** The headers of an attempt: the signature is over id, time and body. */
export async function signedHeaders(id: string, seconds: number, body: string, key: Uint8Array<ArrayBuffer>) {
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', key, hmac, false, ['sign']);
  const signature = await crypto.subtle.sign(
    'HMAC',
    imported,
    new TextEncoder().encode(`${id}.${seconds}.${body}`),
  );
  const signed = btoa(String.fromCharCode(...new Uint8Array(signature)));
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': `v1,${signed}` };
}

const webhooks: Plugin = (trivet) => {
  const { defineModule, operation, Type, closedObject, nullable, recordId, words, columns, query } = trivet;
  const { page, paging, pageOf, member, roleIn, defineErrors, isoTime, perHost, metrics } = trivet;
  const { and, asc, desc, eq, gt, inArray, lt, lte, or, sql } = query;

  const settings = {
    'webhooks-endpoints': {
      type: 'table',
      schema: Type.Record(
        Type.String({ pattern: '^[a-z][a-z0-9-]{0,31}$' }),
        closedObject({
          url: Type.String({ pattern: '^https?://', maxLength: 2_000 }),
          secret: Type.String(),
          types: Type.Optional(Type.Array(Type.String({ pattern: '^[a-z][a-z0-9-]*$' }))),
          orgId: Type.Optional(Type.Integer({ minimum: 1 })),
        }),
        { additionalProperties: false },
      ),
      // Every process of the machine can read the command line of the others.
      secretLike: /"secret"/,
      description:
        'Receivers of webhooks by name: url, secret (whsec_…), types (names of tools that write), orgId. Addresses of ' +
        'your own network are allowed: they are your setting.',
    },
    'webhooks-timeout': {
      type: 'integer',
      default: 15,
      minimum: 1,
      maximum: 120,
      description: 'Seconds that a receiver may take to answer.',
    },
    'webhooks-attempts': {
      type: 'integer',
      default: 10,
      minimum: 1,
      maximum: 50,
      description: 'Attempts after which a delivery is a dead letter.',
    },
    'webhooks-retry': {
      type: 'integer',
      default: 5,
      minimum: 1,
      maximum: 3_600,
      description: 'Seconds until the second attempt; each further pause is four times longer.',
    },
    'webhooks-keep': {
      type: 'integer',
      default: 7,
      minimum: 1,
      maximum: 3_650,
      description: 'Days that deliveries which arrived are listed.',
    },
  } as const satisfies SettingTable;

  const errors = {
    WEBHOOK_NOT_FOUND: { status: 404, tip: 'Use list-webhook-deliveries to see the deliveries.' },
    WEBHOOK_PENDING: {
      status: 409,
      tip: 'It is sent by itself; see nextAttemptAt in list-webhook-deliveries.',
    },
    WEBHOOK_ENDPOINT_NOT_FOUND: {
      status: 404,
      tip: 'Add it to [webhooks-endpoints] and start the server again.',
    },
  } as const;
  const fail = defineErrors(errors);

  const counted = metrics.counter('trivet_webhook_attempts_total', 'Attempts to send webhooks.', ['outcome']);

  const { table, id, text, int, time, forUpdate, countRows } = columns;
  const deliveries = table('webhooks_deliveries', {
    id: id('id'),
    messageId: text('message_id').notNull(),
    endpoint: text('endpoint').notNull(),
    type: text('type').notNull(),
    orgId: int('org_id'),
    at: time('at').notNull(),
    body: text('body').notNull(),
    status: text('status').notNull(),
    attempts: int('attempts').notNull(),
    /** When it is sent next. While it is being sent: when another server may take it. */
    dueAt: time('due_at').notNull(),
    lastStatus: int('last_status'),
    lastError: text('last_error'),
    deliveredAt: time('delivered_at'),
  });
  type Delivery = (typeof deliveries)['$inferSelect'];
  const columnsSql = (
    integer: string,
  ) => `message_id text NOT NULL, endpoint text NOT NULL, type text NOT NULL,
    org_id ${integer}, at ${integer} NOT NULL, body text NOT NULL, status text NOT NULL, attempts ${integer} NOT NULL,
    due_at ${integer} NOT NULL, last_status ${integer}, last_error text, delivered_at ${integer})`;
  const indexes = `;
    CREATE INDEX webhooks_deliveries_due ON webhooks_deliveries (endpoint, due_at) WHERE status = 'pending';
    CREATE INDEX webhooks_deliveries_old ON webhooks_deliveries (status, at)`;

  const endpointsOf = perHost(({ config }) => endpoints(config));
  function endpoints(config: Config): ReadonlyMap<string, Endpoint> {
    const given = (config.read(settings)['webhooks-endpoints'] ?? {}) as Record<
      string,
      { url: string; secret: string; types?: string[]; orgId?: number }
    >;
    return new Map(
      Object.entries(given).map(([name, { url, secret, types, orgId }]) => {
        const key = keyOf(secret);
        if (!key)
          throw new Error(
            `the secret of [webhooks-endpoints.${name}] must be whsec_ and 24 to 64 bytes in base64`,
          );
        return [name, { url, key, types, orgId }] as const;
      }),
    );
  }

  const newMessageId = ({ random }: Pick<Host, 'random'>) =>
    `msg_${[...random(16)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;

  async function enqueue(
    q: Query,
    host: Pick<Host, 'random'>,
    event: Pick<WriteEvent, 'type' | 'at' | 'orgId'>,
    to: readonly string[],
    data: object,
  ) {
    const { type, at, orgId } = event;
    const body = JSON.stringify({ type, timestamp: isoTime(at), data });
    const rows = to.map((endpoint) => ({
      messageId: newMessageId(host),
      endpoint,
      type,
      orgId,
      at,
      body,
      status: 'pending',
      attempts: 0,
      dueAt: at,
    }));
    if (rows.length > 0) await q.insert(deliveries).values(rows);
  }

  /** Takes deliveries that are due, so that no other server sends them until their lease ends. */
  async function claimed(host: Host, endpoint: string): Promise<readonly Delivery[]> {
    const now = host.clock.now();
    const due = and(
      eq(deliveries.status, 'pending'),
      eq(deliveries.endpoint, endpoint),
      or(lte(deliveries.dueAt, now), gt(deliveries.dueAt, latestDue(now))),
    );
    const first = (q: Query, rows: number) =>
      q.select({ id: deliveries.id }).from(deliveries).where(due).orderBy(asc(deliveries.id)).limit(rows);
    // Most of the time there is none: reading is all that an idle server does.
    if ((await first(host.db.q, 1)).length === 0) return [];
    const leaseMs = host.config.read(settings)['webhooks-timeout'] * 1_000 + leaseMarginMs;
    const rows = await host.db.tx(async (q) => {
      const ids = (await forUpdate(first(q, atOnce))).map((row) => row.id);
      if (ids.length === 0) return [];
      const taken = { dueAt: now + leaseMs, attempts: sql`${deliveries.attempts} + 1` };
      return q.update(deliveries).set(taken).where(inArray(deliveries.id, ids)).returning();
    });
    return rows.toSorted((a, b) => a.id - b.id);
  }

  interface Outcome {
    readonly status: number | null;
    readonly error: string | null;
    readonly retryAfterMs?: number;
  }

  async function sent(
    host: Host,
    { url, key }: Endpoint,
    delivery: Delivery,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const seconds = Math.floor(host.clock.now() / 1_000);
    const headers = await signedHeaders(delivery.messageId, seconds, delivery.body, key);
    const limit = AbortSignal.timeout(host.config.read(settings)['webhooks-timeout'] * 1_000);
    try {
      const response = await fetch(url, {
        method: 'POST',
        // The address is your setting. Where it points to is not.
        redirect: 'manual',
        headers: { ...headers, 'content-type': 'application/json', 'user-agent': `Trivet/${host.version}` },
        body: delivery.body,
        signal: AbortSignal.any([signal, limit]),
      });
      // What the receiver says is neither read nor stored.
      await response.body?.cancel();
      const retryAfterMs = retryAfterOf(response.headers.get('retry-after'), host.clock.now());
      return { status: response.status, error: response.ok ? null : 'status', retryAfterMs };
    } catch (error) {
      // A word: the message of an error may have the address, and with it a token.
      const name = error instanceof Error && 'code' in error ? String(error.code) : 'failed';
      if (untrusted.test(name))
        host.log.warn('webhook_certificate_refused', { endpoint: delivery.endpoint, code: name, remedy });
      return { status: null, error: limit.aborted ? 'timeout' : name.slice(0, 60) };
    }
  }

  /** Notes what became of an attempt, unless the lease ended meanwhile and another server has taken the delivery. */
  async function note(host: Host, { id: of, attempts, endpoint }: Delivery, outcome: Outcome): Promise<void> {
    const now = host.clock.now();
    const { 'webhooks-attempts': most, 'webhooks-retry': base } = host.config.read(settings);
    const { status, error, retryAfterMs } = outcome;
    // 410: the receiver wants no more of them (Standard Webhooks).
    const result = error === null ? 'delivered' : attempts >= most || status === 410 ? 'dead' : 'pending';
    const pause = retryPause(attempts, base * 1_000, (host.random(1)[0] ?? 0) / 255, retryAfterMs);
    const known = { lastStatus: status, lastError: error };
    const ended =
      result === 'delivered' ? { status: result, deliveredAt: now } : { status: result, dueAt: now + pause };
    await host.db.tx((q) => store(q, of, attempts, { ...known, ...ended }));
    host.metrics.count(counted, [result === 'pending' ? 'failed' : result]);
    if (result === 'dead') host.log.warn('webhook_dead', { delivery: of, endpoint, attempts, status, error });
  }

  const store = async (q: Query, of: number, attempts: number, values: Partial<Delivery>) => {
    const own = and(
      eq(deliveries.id, of),
      eq(deliveries.attempts, attempts),
      eq(deliveries.status, 'pending'),
    );
    await q.update(deliveries).set(values).where(own);
  };

  /** Sends to one endpoint until the server stops: a slow receiver holds up no other. */
  async function serve(host: Host, name: string, endpoint: Endpoint, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const batch = await claimed(host, name);
      await Promise.all(
        batch.map(async (delivery) => {
          const outcome = await sent(host, endpoint, delivery, signal);
          if (!signal.aborted || outcome.error === null) return note(host, delivery, outcome);
          // The server stops: it may have arrived or not. Whoever is there next sends it again.
          const again = { dueAt: host.clock.now(), attempts: delivery.attempts - 1 };
          return host.db.tx((q) => store(q, delivery.id, delivery.attempts, again));
        }),
      );
      if (batch.length === 0) await pause(1_000, signal);
    }
  }

  async function serveAll(host: Host, signal: AbortSignal): Promise<void> {
    const broken = new AbortController();
    const either = AbortSignal.any([signal, broken.signal]);
    const loops = [...endpointsOf(host)].map(([name, endpoint]) =>
      serve(host, name, endpoint, either).catch((error: unknown) => {
        broken.abort();
        throw error;
      }),
    );
    for (const result of await Promise.allSettled(loops))
      if (result.status === 'rejected') throw result.reason;
  }

  /** Removes what is old, in small statements. */
  async function forget(host: Host, signal: AbortSignal): Promise<void> {
    const keptMs = host.config.read(settings)['webhooks-keep'] * day;
    const old = (status: string, ms: number) =>
      and(eq(deliveries.status, status), lt(deliveries.at, host.clock.now() - ms));
    for (const where of [old('delivered', keptMs), old('dead', deadKeptMs)]) {
      for (let removed = 500; removed === 500 && !signal.aborted;) {
        removed = await host.db.tx(async (q) => {
          const rows = await q.select({ id: deliveries.id }).from(deliveries).where(where).limit(500);
          const ids = rows.map((row) => row.id);
          if (ids.length > 0) await q.delete(deliveries).where(inArray(deliveries.id, ids));
          return ids.length;
        });
      }
    }
  }

  /** Administrators see the deliveries of their organizations; whoever owns the machine sees all. */
  const visibleTo = (actor: Actor) => {
    const administered = [...actor.roles].filter(([, role]) => role === 'admin').map(([orgId]) => orgId);
    return actor.via === 'local' ? undefined : inArray(deliveries.orgId, administered);
  };

  const record = closedObject({
    deliveryId: Type.Integer(),
    messageId: Type.String(),
    endpoint: Type.String(),
    type: Type.String(),
    orgId: nullable(Type.Integer()),
    createdAt: Type.String(),
    status: Type.String(),
    attempts: Type.Integer(),
    nextAttemptAt: nullable(Type.String()),
    lastStatus: nullable(Type.Integer()),
    lastError: nullable(Type.String()),
    deliveredAt: nullable(Type.String()),
  });
  const recordOf = (row: Delivery) => ({
    deliveryId: row.id,
    messageId: row.messageId,
    endpoint: row.endpoint,
    type: row.type,
    orgId: row.orgId,
    createdAt: isoTime(row.at),
    status: row.status,
    attempts: row.attempts,
    nextAttemptAt: row.status === 'pending' ? isoTime(row.dueAt) : null,
    lastStatus: row.lastStatus,
    lastError: row.lastError,
    deliveredAt: row.deliveredAt === null ? null : isoTime(row.deliveredAt),
  });

  const list = operation({
    name: 'list-webhook-deliveries',
    toolset: 'webhooks',
    title: 'List webhook deliveries',
    description:
      'Lists the webhooks of the organizations that you administer, newest first: where to, of which write, and what became of them. ' +
      'status "dead" lists those that were given up; replay-webhook-delivery sends one again.',
    input: closedObject({
      status: Type.Optional(
        words(['pending', 'delivered', 'dead'], { description: 'Only those in this state.' }),
      ),
      endpoint: Type.Optional(Type.String({ maxLength: 32, description: 'Only those to this receiver.' })),
      ...paging,
    }),
    output: page('deliveries', record),
    access: member('admin'),
    effect: 'read',
    handler: async (input, { db, actor }) => {
      const { limit, offset } = pageOf(input);
      const where = and(
        visibleTo(actor),
        input.status === undefined ? undefined : eq(deliveries.status, input.status),
        input.endpoint === undefined ? undefined : eq(deliveries.endpoint, input.endpoint),
      );
      const [counts] = await db.q.select({ total: countRows() }).from(deliveries).where(where);
      const rows = await db.q
        .select()
        .from(deliveries)
        .where(where)
        .orderBy(desc(deliveries.id))
        .limit(limit)
        .offset(offset);
      return { total: counts?.total ?? 0, limit, offset, deliveries: rows.map(recordOf) };
    },
  });

  const replay = operation({
    name: 'replay-webhook-delivery',
    toolset: 'webhooks',
    title: 'Send a webhook again',
    description:
      'Sends a delivery that was given up or arrived once more, with the same webhook-id and all its attempts.',
    input: closedObject({ deliveryId: recordId('From list-webhook-deliveries.') }),
    output: record,
    access: member('admin'),
    effect: 'update',
    handler: ({ deliveryId }, { db, actor, clock, host }) =>
      db.tx(async (q) => {
        const where = and(visibleTo(actor), eq(deliveries.id, deliveryId));
        const [found] = await forUpdate(q.select().from(deliveries).where(where));
        if (!found) throw fail.WEBHOOK_NOT_FOUND(`There is no delivery ${deliveryId}.`);
        if (found.status === 'pending') throw fail.WEBHOOK_PENDING(`Delivery ${deliveryId} is not over yet.`);
        // Nothing would send it, and it would wait for ever.
        if (!endpointsOf(host).has(found.endpoint))
          throw fail.WEBHOOK_ENDPOINT_NOT_FOUND(`There is no receiver "${found.endpoint}" any more.`);
        const again = { status: 'pending', attempts: 0, dueAt: clock.now(), deliveredAt: null };
        const [row] = await q.update(deliveries).set(again).where(where).returning();
        return recordOf(row ?? found);
      }),
  });

  const test = operation({
    name: 'send-test-webhook',
    toolset: 'webhooks',
    title: 'Send a test webhook',
    description:
      'Sends a webhook of the type "test" to one receiver. list-webhook-deliveries shows what became of it.',
    input: closedObject({
      endpoint: Type.String({ maxLength: 32, description: 'Its name in the configuration.' }),
      orgId: recordId('From get-orgs-list.'),
    }),
    output: closedObject({ endpoint: Type.String(), type: Type.String() }),
    access: member('admin'),
    effect: 'create',
    handler: async ({ endpoint, orgId }, { db, actor, clock, host }) => {
      const known = endpointsOf(host).get(endpoint);
      if (roleIn(actor, orgId, 'admin') === 'hidden' || !known || (known.orgId ?? orgId) !== orgId)
        throw fail.WEBHOOK_ENDPOINT_NOT_FOUND(`Organization ${orgId} has no receiver "${endpoint}".`);
      const event = { type: 'test', at: clock.now(), orgId };
      await db.tx((q) => enqueue(q, host, event, [endpoint], { orgId, actorId: actor.userId }));
      return { endpoint, type: 'test' };
    },
  });
  const own = [list, replay, test];

  return defineModule({
    name: 'webhooks',
    requires: ['auth'],
    settings,
    errors,
    tables: { deliveries },
    metrics: { counted },
    migrations: {
      sqlite: [
        {
          tag: '0000_deliveries',
          sql: `CREATE TABLE webhooks_deliveries (id integer PRIMARY KEY AUTOINCREMENT, ${columnsSql('integer')}${indexes}`,
        },
      ],
      postgres: [
        {
          tag: '0000_deliveries',
          sql: `CREATE TABLE webhooks_deliveries (id bigint PRIMARY KEY GENERATED BY DEFAULT AS IDENTITY, ${columnsSql('bigint')}${indexes}`,
        },
      ],
    },
    operations: own,
    onWrite: async (q, event, host) => {
      if (own.some(({ name }) => name === event.type)) return;
      const to = [...endpointsOf(host)].flatMap(([name, { types, orgId }]) =>
        (types?.includes(event.type) ?? true) && (orgId ?? event.orgId) === event.orgId ? [name] : [],
      );
      const { orgId, projectId, runId, actorId, surface, ids } = event;
      // Ids only: what changed may be a text that somebody typed. Whoever may see it reads it with a tool.
      await enqueue(q, host, event, to, { orgId, projectId, runId, actorId, surface, ids });
    },
    // A wrong secret is said now and not with the first write.
    start: async (host) => void endpointsOf(host),
    warnings: (host) =>
      [...endpointsOf(host)]
        .filter(([, { url }]) => /^http:\/\/(?!(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/]|$))/.test(url))
        .map(([name]) => `[webhooks-endpoints.${name}] is sent without TLS.`),
    jobs: [
      { name: 'webhooks-send', everyMs: 1_000, run: serveAll },
      { name: 'webhooks-forget', everyMs: hour, run: forget },
    ],
    checks: [
      {
        name: 'deliveries',
        run: async (host) => {
          const known = endpointsOf(host);
          const waiting = and(
            eq(deliveries.status, 'pending'),
            lt(deliveries.dueAt, host.clock.now() - 10 * minute),
          );
          const rows = await host.db.q
            .select({ endpoint: deliveries.endpoint, status: deliveries.status, count: countRows() })
            .from(deliveries)
            .where(or(eq(deliveries.status, 'dead'), waiting))
            .groupBy(deliveries.endpoint, deliveries.status);
          return rows.map(({ endpoint, status, count }) => ({
            finding: status === 'dead' ? 'webhooks_dead' : 'webhooks_waiting',
            message: `${count} deliveries to "${endpoint}" ${status === 'dead' ? 'were given up' : 'wait for more than ten minutes'}.`,
            remedy: known.has(endpoint)
              ? 'See list-webhook-deliveries; replay-webhook-delivery sends one again.'
              : 'No endpoint has this name any more: add it again, or leave them.',
            warning: true as const,
          }));
        },
      },
    ],
  });
};

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const over = () => {
      clearTimeout(timer);
      // The signal lives as long as the server.
      signal.removeEventListener('abort', over);
      resolve();
    };
    const timer = setTimeout(over, ms);
    signal.addEventListener('abort', over);
  });
}

export default webhooks;
