import { and, eq, isNotNull, isNull, ne, notInArray } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import { fail } from '../base/errors.ts';
import { ctas, holdouts, type CtaFields, type CtaRow } from '../base/schema.ts';
import { experimentChange, isSameJson } from '../experiments/experiment-check.ts';
import { isRunning, type Experiment } from '../rules/experiment.ts';
import { fieldsOf } from './cta-version-store.ts';

/* What an edit of a CTA may do to its experiment. */

/** Whether an edit does nothing but let more users into the experiment. */
export function onlyCoverageGrows(cta: CtaRow, fields: CtaFields): boolean {
  const { experiment, ...before } = fieldsOf(cta);
  const { experiment: changed, ...after } = fieldsOf(fields);
  return experimentChange(experiment, changed) === 'coverage grows' && isSameJson(before, after);
}

/** While an experiment runs, its arms stay what they are. @throws Fault EXPERIMENT_RUNNING. */
export function requireSameExperiment(cta: CtaRow, fields: CtaFields): void {
  if (!isRunning(cta) || cta.experiment === null) return;
  const change = experimentChange(cta.experiment, fields.experiment ?? null);
  if (change === 'other' || change === 'coverage shrinks')
    throw fail.EXPERIMENT_RUNNING(
      `The experiment of CTA "${cta.id}" runs: its key, seed and variants are frozen, and its coverage may only grow.`,
      { cause: 'experiment' },
    );
  const isShared = cta.experiment.variants.some(
    ({ actions, control }) => actions === undefined && control !== true,
  );
  if (isShared && !isSameJson(cta.rule.actions, fields.rule.actions))
    throw fail.EXPERIMENT_RUNNING(
      `The experiment of CTA "${cta.id}" runs, and a variant without actions has those of the rule: they are frozen.`,
      { cause: 'rule.actions' },
    );
}

/**
 * The CTAs of a behaviour tag keep each other back, so the arms of one would change what the other achieves: of one tag, a single
 * experiment runs at a time. @throws Fault EXPERIMENT_OVERLAPS.
 */
export async function requireAloneInTag(
  q: Query,
  { id, tenantId, behaviourTagName }: Pick<CtaRow, 'id' | 'tenantId' | 'behaviourTagName'>,
): Promise<void> {
  if (behaviourTagName === null) return;
  const [other] = await q
    .select({ id: ctas.id })
    .from(ctas)
    .where(
      and(
        eq(ctas.tenantId, tenantId),
        eq(ctas.behaviourTagName, behaviourTagName),
        isNotNull(ctas.experimentStartedAt),
        isNull(ctas.experimentStoppedAt),
        notInArray(ctas.status, ['CONCLUDED', 'TERMINATED']),
        ne(ctas.id, id),
      ),
    )
    .limit(1);
  if (other)
    throw fail.EXPERIMENT_OVERLAPS(
      `The experiment of CTA "${other.id}" runs under the behaviour tag of CTA "${id}": one at a time.`,
      { cause: 'behaviourTagName' },
    );
}

/** Whether the tenant has the holdout that an experiment names; true if it names none. */
export async function hasHoldout(q: Query, tenantId: string, experiment: Experiment | null) {
  const name = experiment?.holdout;
  if (name === undefined) return true;
  const [found] = await q
    .select({ name: holdouts.name })
    .from(holdouts)
    .where(and(eq(holdouts.tenantId, tenantId), eq(holdouts.name, name)));
  return found !== undefined;
}

/** @throws Fault HOLDOUT_NOT_FOUND. */
export async function requireHoldout(q: Query, tenantId: string, experiment: Experiment | null) {
  if (await hasHoldout(q, tenantId, experiment)) return;
  throw fail.HOLDOUT_NOT_FOUND(`The tenant "${tenantId}" has no holdout "${experiment?.holdout}".`, {
    cause: 'experiment.holdout',
  });
}
