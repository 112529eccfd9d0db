import { and, asc, eq } from 'drizzle-orm';
import { ctaMetrics } from '../base/metrics.ts';
import type { Actor, Role } from '../../../core/base/actor.ts';
import { countRows } from '../../../core/db/query/columns.ts';
import { startTestKernel, type StillClock } from '../../../test/kernel.ts';
import { toolsOf } from '../../../test/tools.ts';
import {
  behaviourTags,
  cohortMembers,
  cohorts,
  ctas,
  ctaVersions,
  previews,
  statusChanges,
  tenants,
  userAttributes,
  userStates,
} from '../base/schema.ts';
import type { UserState } from '../state/user-state.ts';

export const launchPath = '/cta/active/state-machines/';
export const eventsPath = '/cta/events/';
export const deltaPath = '/cta/state-machines/snapshot/delta/';

/** What a test sends to one of the two POST endpoints; `x-tenant-id` and `api_version: 1` unless headers say otherwise. */
export interface Sent {
  readonly path?: string;
  readonly headers?: Record<string, string>;
  /** Text is sent unchanged; anything else as JSON; undefined means no body. */
  readonly body?: unknown;
}

/** A running kernel for the tests of Area B: tools as the owner, requests as a user, and access to the stored data. */
export async function startCtaKernel(clock: StillClock, settings: Readonly<Record<string, string>> = {}) {
  const trivet = await startTestKernel({ clock, settings });
  const { kernel } = trivet;
  const { q } = kernel.host.db;
  const tools = await toolsOf(trivet);
  const { owner, call } = tools;

  return {
    ...trivet,
    ...tools,
    /** The owner, with other roles. */
    inOrganizations: (...roles: [number, Role][]): Actor => ({ ...owner, roles: new Map(roles) }),
    /** Creates a CTA and moves it through these statuses. */
    makeCta: async (fields: object, ...statuses: string[]): Promise<string> => {
      const made = await call('create-cta', { name: 'c', rule: emptyRule, ...fields });
      const ctaId = String(made['ctaId']);
      for (const status of statuses) await call('set-cta-status', { ctaId, status });
      return ctaId;
    },
    tenant: async (tenantId: string) => {
      const [row] = await q.select().from(tenants).where(eq(tenants.tenantId, tenantId));
      return row;
    },
    /** The number of rows in every table, which a refused call must not change. */
    rowCounts: async (): Promise<number[]> => {
      const counts: number[] = [];
      for (const table of [
        tenants,
        ctas,
        ctaVersions,
        statusChanges,
        behaviourTags,
        previews,
        cohorts,
        cohortMembers,
        userAttributes,
        userStates,
      ]) {
        const [row] = await q.select({ n: countRows() }).from(table);
        counts.push(row?.n ?? -1);
      }
      return counts;
    },
    stored: async (userId: string, tenantId = 'default'): Promise<UserState | null> => {
      const [row] = await q
        .select({ state: userStates.state })
        .from(userStates)
        .where(and(eq(userStates.tenantId, tenantId), eq(userStates.userId, userId)));
      return row ? (JSON.parse(row.state) as UserState) : null;
    },
    allStored: () => q.select().from(userStates).orderBy(asc(userStates.tenantId), asc(userStates.userId)),
    /** Stores a state of the tenant `default`, dated one second ago. */
    store: (userId: string, state: UserState) =>
      kernel.host.db.tx(async (q) => {
        const row = {
          tenantId: 'default',
          userId,
          state: JSON.stringify(state),
          updatedAt: clock.now() - 1_000,
        };
        await q.insert(userStates).values(row);
      }),
    send: async (userId: string, { path = launchPath, headers = {}, body }: Sent) => {
      const response = await trivet.fetch(path, {
        method: 'POST',
        headers: {
          'auth-userid': userId,
          api_version: '1',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
  };
}

export type CtaKernel = Awaited<ReturnType<typeof startCtaKernel>>;

/** What was dropped from the state of users, by reason. */
export const dropsCounted = ({ counts }: Pick<CtaKernel, 'counts'>): Readonly<Record<string, number>> =>
  Object.fromEntries(
    counts
      .snapshot()
      .filter(({ name }) => name === ctaMetrics.stateDrops.name)
      .flatMap(({ series }) => series.map(({ labels: [reason = ''], value }) => [reason, value])),
  );

export const emptyRule = { stateToAction: {}, stateTransition: {}, actions: [] };

export const freshTenant = () => `t-${crypto.randomUUID()}`;

/** The ctaIds in a launch response. */
export const answeredIds = (text: string): string[] =>
  (JSON.parse(text) as { data: { ctas: { ctaId: string }[] } }).data.ctas.map(({ ctaId }) => ctaId);

let users = 0;
/** A user that no test has used yet. */
export const freshUser = (): string => String(++users);

/** A state machine as a client sends it, made a second before `now`. */
export const machineAt = (now: number, over: object = {}) => ({
  currentState: '1',
  lastTransitionAt: 10,
  createdAt: now - 1000,
  ...over,
});
