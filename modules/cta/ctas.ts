import { and, asc, eq, gt, isNull, lte, or, type SQL } from 'drizzle-orm';
import { roleIn, type Actor } from '../../core/actor.ts';
import { countRows } from '../../core/db/columns.ts';
import type { Query } from '../../core/db/db.ts';
import { compareVersions } from './eligibility.ts';
import { refuse } from './errors.ts';
import { statusAt, type CtaStatus } from './lifecycle.ts';
import { checkRule, ruleWarnings, type RuleFault } from './rule-check.ts';
import type { RuleInput } from './rule.ts';
import { behaviourTags, ctas, ctaVersions, tenants, type CtaFields } from './schema.ts';

export type Cta = typeof ctas.$inferSelect;

/** Bytes of a rule as JSON: every launch answers the rules of all CTAs that are live. */
const ruleLimit = 256 * 1024;
/** How many faults one answer names. */
const shownFaults = 20;

/**
 * Refuses what may not be saved. Pure.
 * @throws Fault INVALID_RULE naming the place of each fault, INVALID_PERIOD.
 */
export function requireValid({ rule, startTime, endTime }: CtaFields): void {
  if (startTime !== null && endTime !== null && endTime <= startTime) {
    throw refuse.INVALID_PERIOD('endTime must be later than startTime.', { cause: 'endTime' });
  }
  const faults = checkRule(rule);
  const first = faults[0];
  if (first) {
    const named = faults.slice(0, shownFaults).map(({ path, problem }) => `rule.${path} ${problem}`);
    const rest = faults.length > shownFaults ? `; and ${faults.length - shownFaults} more` : '';
    throw refuse.INVALID_RULE(`The rule cannot be saved: ${named.join('; ')}${rest}.`, {
      cause: `rule.${first.path}`,
    });
  }
  if (Buffer.byteLength(JSON.stringify(rule)) > ruleLimit) {
    throw refuse.INVALID_RULE(`The rule cannot be saved: it is larger than ${ruleLimit} bytes of JSON.`, {
      cause: 'rule',
    });
  }
}

/** What may be saved and yet surprises. Pure. */
export function warningsOf({ rule, endTime }: CtaFields, now: number): RuleFault[] {
  const warnings = ruleWarnings(rule).map(({ path, problem }) => ({ path: `rule.${path}`, problem }));
  if (endTime !== null && endTime <= now) {
    warnings.push({ path: 'endTime', problem: 'has passed: the CTA cannot go live' });
  }
  return [...warnings, ...audienceWarnings(rule)];
}

function audienceWarnings({ cohortEligibility, appVersions }: RuleInput): RuleFault[] {
  const warnings: RuleFault[] = [];
  for (const list of ['includes', 'excludes'] as const) {
    for (const [index, cohort] of (cohortEligibility?.[list] ?? []).entries()) {
      if (cohort === 'all') continue;
      const path = `rule.cohortEligibility.${list}[${index}]`;
      warnings.push({ path, problem: 'is a cohort that does not exist, so nobody is in it' });
    }
  }
  const { min, max } = appVersions ?? {};
  if (min !== undefined && max !== undefined && compareVersions(min, max) > 0) {
    warnings.push({ path: 'rule.appVersions', problem: 'has a min above its max: no app gets the CTA' });
  }
  return warnings;
}

/** Stores a new CTA as a draft, and its first version. @throws Fault BEHAVIOUR_TAG_NOT_FOUND. */
export async function insertCta(
  q: Query,
  given: {
    readonly tenantId: string;
    readonly fields: CtaFields;
    readonly by: number;
    readonly now: number;
  },
): Promise<Cta> {
  const { tenantId, fields, by, now } = given;
  if (fields.behaviourTagName !== null) await requireTag(q, tenantId, fields.behaviourTagName);
  const [cta] = await q
    .insert(ctas)
    .values({
      tenantId,
      ...fields,
      status: 'DRAFT',
      version: 1,
      createdBy: by,
      createdAt: now,
      updatedAt: now,
    })
    .returning();
  if (!cta) throw new Error('the CTA was not stored');
  await q.insert(ctaVersions).values({ ctaId: cta.id, version: cta.version, fields, by, at: now });
  return cta;
}

async function requireTag(q: Query, tenantId: string, name: string): Promise<void> {
  const [tag] = await q
    .select({ name: behaviourTags.name })
    .from(behaviourTags)
    .where(and(eq(behaviourTags.tenantId, tenantId), eq(behaviourTags.name, name)));
  if (!tag) {
    throw refuse.BEHAVIOUR_TAG_NOT_FOUND(`The tenant "${tenantId}" has no behaviour tag of that name.`, {
      cause: 'behaviourTagName',
    });
  }
}

/**
 * The CTA, if the actor may do this with it.
 * @throws Fault CTA_NOT_FOUND (also for another organization's), FORBIDDEN.
 */
export async function ctaFor(q: Query, actor: Actor, ctaId: string, right: 'read' | 'write'): Promise<Cta> {
  const [found] = await q
    .select({ cta: ctas, orgId: tenants.orgId })
    .from(ctas)
    .innerJoin(tenants, eq(tenants.tenantId, ctas.tenantId))
    .where(eq(ctas.id, Number(ctaId)));
  if (!found || roleIn(actor, found.orgId, right) === 'hidden') {
    throw refuse.CTA_NOT_FOUND(`There is no CTA "${ctaId}".`);
  }
  return found.cta;
}

/** Moves a CTA to a status; whether it may is the caller's business. */
export async function writeStatus(q: Query, cta: Cta, status: CtaStatus, now: number): Promise<Cta> {
  const changed = { status, updatedAt: now };
  await q.update(ctas).set(changed).where(eq(ctas.id, cta.id));
  return { ...cta, ...changed };
}

/** One page of the CTAs of a tenant, oldest first, and how many there are. */
export async function pageOfCtas(
  q: Query,
  tenantId: string,
  asked: { readonly status: CtaStatus | undefined; readonly limit: number; readonly offset: number },
  now: number,
): Promise<{ readonly total: number; readonly rows: readonly Cta[] }> {
  const { status, limit, offset } = asked;
  const matching = and(
    eq(ctas.tenantId, tenantId),
    status === undefined ? undefined : hasStatus(status, now),
  );
  const [counted] = await q.select({ total: countRows() }).from(ctas).where(matching);
  const rows = await q.select().from(ctas).where(matching).orderBy(asc(ctas.id)).limit(limit).offset(offset);
  return { total: counted?.total ?? 0, rows };
}

/** {@link statusAt} as a condition. */
function hasStatus(status: CtaStatus, now: number): SQL | undefined {
  const isScheduled = eq(ctas.status, 'SCHEDULED');
  const hasBegun = or(
    eq(ctas.status, 'LIVE'),
    and(isScheduled, or(isNull(ctas.startTime), lte(ctas.startTime, now))),
  );
  switch (status) {
    case 'SCHEDULED':
      return and(isScheduled, gt(ctas.startTime, now));
    case 'LIVE':
      return and(hasBegun, or(isNull(ctas.endTime), gt(ctas.endTime, now)));
    case 'CONCLUDED':
      return or(eq(ctas.status, 'CONCLUDED'), and(hasBegun, lte(ctas.endTime, now)));
    default:
      return eq(ctas.status, status);
  }
}

/** A CTA as lists show it: without the long texts. */
export const slimCta = (cta: Cta, now: number) => ({
  ctaId: String(cta.id),
  tenantId: cta.tenantId,
  name: cta.name,
  tags: [...cta.tags],
  team: cta.team,
  status: statusAt(cta, now),
  startTime: cta.startTime,
  endTime: cta.endTime,
  behaviourTagName: cta.behaviourTagName,
  version: cta.version,
  createdBy: cta.createdBy,
  createdAt: cta.createdAt,
  updatedAt: cta.updatedAt,
});

/** The whole record of a CTA. */
export const wholeCta = (cta: Cta, now: number) => ({
  ...slimCta(cta, now),
  description: cta.description,
  rule: cta.rule,
});
