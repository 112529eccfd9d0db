import { Type } from '@sinclair/typebox';
import { member, type Actor } from '../../../core/base/actor.ts';
import { closedObject, nullable, words } from '../../../core/base/schema.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { fail } from '../base/errors.ts';
import { operation } from '../base/operation.ts';
import { ctaIdParameter, defaultTenant, tenantName, timeOf } from '../base/parameters.ts';
import { countedHourMs, hourOf } from '../counts/event-row.ts';
import { ctaFor, ctaOfTenant } from '../ctas/cta-store.ts';
import { compareIds } from '../state/string-map.ts';
import { tenantFor } from '../tenants/tenant-access.ts';
import { goalsOfCta } from './goal-store.ts';
import { conversionsOf, usersByState, sumsOf, usersOf, type Sum } from './metrics-store.ts';

/** The most items of one answer. */
const maxItems = 2_500;
/** A sum for each type. */
const maxSums = 10 * maxItems;
const latest = 8_640_000_000_000_000;

const figures = {
  impressions: 'impression',
  clicks: 'click',
  dismissals: 'dismiss',
  held: 'held',
  custom: 'custom',
  actions: 'action',
  completions: 'completion',
} as const;

type Figure = keyof typeof figures;

const count = Type.Integer();
const figureSchemas = {
  impressions: count,
  clicks: count,
  dismissals: count,
  held: count,
  custom: count,
  actions: count,
  completions: count,
};

const item = closedObject({
  at: Type.Optional(Type.Integer({ description: 'The start of the hour or day (UTC).' })),
  version: Type.Optional(Type.Integer()),
  variant: Type.Optional(nullable(Type.String())),
  source: Type.Optional(Type.String({ description: 'client: the app sent it; derived: from its state.' })),
  ...figureSchemas,
});

export const getCtaMetrics = operation({
  name: 'get-cta-metrics',
  title: 'Read how often a CTA was seen and acted on',
  description:
    'Returns how often CTAs were seen (impressions), clicked, dismissed and held back, as the app reports it, and how often ' +
    'they acted and completed, as the state of the users shows without any change of the app; and the conversions of each ' +
    'goal of the CTA. A figure stands in the hour of its own time, UTC: hours that begin before `from` and end after it ' +
    'count. With ctaId also the users who ever saw, clicked, acted and completed. get-cta-funnel has users per state. ' +
    `At most ${maxItems} items.`,
  input: closedObject({
    tenantId: Type.Optional({
      ...tenantName,
      description: 'The tenant, as in x-tenant-id; unless given, that of the CTA, without one "default".',
    }),
    ctaId: Type.Optional(ctaIdParameter),
    from: Type.Optional(timeOf('The start, included; default the beginning.')),
    to: Type.Optional(timeOf('The end, not included; default now and later.')),
    by: Type.Optional(
      words(['hour', 'day', 'total'], { default: 'total', description: 'One item for each of these.' }),
    ),
    breakdown: Type.Optional(
      words(['version', 'variant', 'source'], { description: 'One item for each of these as well.' }),
    ),
  }),
  output: closedObject({
    items: Type.Array(item),
    goals: Type.Array(
      closedObject({
        ctaId: Type.Optional(Type.String({ description: 'If no ctaId was given.' })),
        name: Type.String(),
        conversions: Type.Integer({ description: 'Users who reached it in this time.' }),
      }),
    ),
    users: Type.Optional(
      closedObject({
        saw: Type.Integer(),
        clicked: Type.Integer(),
        acted: Type.Integer(),
        completed: Type.Integer(),
      }),
    ),
  }),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q } }) => {
    const { by = 'total', breakdown } = input;
    if (input.from !== undefined && input.to !== undefined && input.to < input.from)
      throw fail.INVALID_REQUEST('to must not be before from.', { cause: 'to' });
    // Whole hours, as the figures are kept: also of the conversions, or a share of the two would be of two times.
    const from = hourOf(input.from ?? 0);
    const to = input.to === undefined ? latest : hourOf(input.to + countedHourMs - 1);
    const ctaId = input.ctaId === undefined ? undefined : Number(input.ctaId);
    const tenantId = await tenantOfFigures(q, actor, input);
    const sums = await sumsOf(q, { tenantId, ctaId, from, to }, { by, breakdown, limit: maxSums + 1 });
    const items = itemsOf(sums, by === 'total', breakdown);
    if (sums.length > maxSums || items.length > maxItems)
      throw fail.INVALID_REQUEST(`That would be more than ${maxItems} items.`, {
        cause: 'by',
        tip: 'Ask for a shorter time, or by day.',
      });
    return {
      items,
      goals: await conversions(q, { tenantId, ctaId, from, to }),
      ...(ctaId !== undefined && { users: await usersOf(q, tenantId, ctaId) }),
    };
  },
});

/** A CTA says whose figures they are. A tenant that is named as well must be that one, or its figures would be those of another. */
async function tenantOfFigures(
  q: Query,
  actor: Actor,
  { tenantId, ctaId }: { readonly tenantId?: string; readonly ctaId?: string },
): Promise<string> {
  if (ctaId !== undefined && tenantId === undefined) return (await ctaFor(q, actor, ctaId, 'read')).tenantId;
  const named = await tenantFor(q, actor, tenantId ?? defaultTenant, 'read');
  if (ctaId !== undefined) await ctaOfTenant(q, actor, { tenantId: named.tenantId, ctaId }, 'ctaId');
  return named.tenantId;
}

async function conversions(
  q: Query,
  { tenantId, ctaId, from, to }: { tenantId: string; ctaId: number | undefined; from: number; to: number },
) {
  const found = [];
  for (const goal of await goalsOfCta(q, tenantId, ctaId))
    found.push({
      ...(ctaId === undefined && { ctaId: String(goal.ctaId) }),
      name: goal.name,
      conversions: await conversionsOf(q, goal, from, to),
    });
  return found;
}

type Item = Record<Figure, number> & {
  at?: number;
  version?: number;
  variant?: string | null;
  source?: string;
};

const nothing = (): Record<Figure, number> => ({
  impressions: 0,
  clicks: 0,
  dismissals: 0,
  held: 0,
  custom: 0,
  actions: 0,
  completions: 0,
});

/** The sums of one time and part side by side. In all of a period there is always an item. */
function itemsOf(
  sums: readonly Sum[],
  isTotal: boolean,
  breakdown: 'version' | 'variant' | 'source' | undefined,
) {
  const items = new Map<string, Item>();
  if (isTotal && breakdown === undefined) items.set('[0,null]', nothing());
  for (const { at, part, type, count } of sums) {
    const figure = (Object.keys(figures) as Figure[]).find((name) => figures[name] === type);
    if (figure === undefined) continue;
    const key = JSON.stringify([at, part]);
    const known: Item = items.get(key) ?? {
      ...(!isTotal && { at }),
      ...(breakdown === 'version' && { version: Number(part) }),
      ...(breakdown === 'variant' && { variant: part === '' ? null : String(part) }),
      ...(breakdown === 'source' && { source: String(part) }),
      ...nothing(),
    };
    known[figure] += count;
    items.set(key, known);
  }
  return [...items.values()];
}

export const getCtaFunnel = operation({
  name: 'get-cta-funnel',
  title: 'Read how many users are in each state of a CTA',
  description:
    'Returns, for each state of a CTA, how many users are in it now and how many ever were, as their state shows. The ' +
    'conversion from one state to the next is the quotient of both `ever`. A state that an app left between two deltas is ' +
    'not seen, and state "0" is never sent. get-cta-metrics has how often, and by time.',
  input: closedObject({ ctaId: ctaIdParameter }),
  output: closedObject({
    states: Type.Array(closedObject({ state: Type.String(), now: Type.Integer(), ever: Type.Integer() })),
  }),
  access: member('read'),
  effect: 'read',
  handler: async ({ ctaId }, { actor, db: { q } }) => {
    const { tenantId } = await ctaFor(q, actor, ctaId, 'read');
    const states = await usersByState(q, tenantId, Number(ctaId));
    return { states: states.sort((left, right) => compareIds(left.state, right.state)) };
  },
});
