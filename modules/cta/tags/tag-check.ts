import { fail } from '../base/errors.ts';
import { windowMs } from '../rules/frequency.ts';
import type { TagDefinition } from '../rules/tag-definition.ts';
import type { Warning } from '../rules/warning.ts';
import type { Relation } from '../state/snapshot.ts';

/**
 * Why two relations are invalid together, or null. `shownCta` names the CTAs of a tag that hide others once they were shown;
 * `hideCta` names the hidden ones.
 *
 * | shownCta | hideCta | meaning                                                        |
 * |----------|---------|----------------------------------------------------------------|
 * | ANY      | REST    | the first CTA of the tag that runs an action hides the rest    |
 * | LIST     | LIST    | once a shownCta has run an action, the hideCtas are hidden     |
 */
export function relationProblem(relations: {
  readonly shownCta?: Relation;
  readonly hideCta?: Relation;
}): { readonly path: string; readonly reason: string } | null {
  const { shownCta, hideCta } = relations;
  if (!shownCta || !hideCta) {
    const path = shownCta ? 'ctaRelation.hideCta' : 'ctaRelation.shownCta';
    return { path, reason: `is missing: shownCta and hideCta belong together` };
  }
  const reason = ruleProblem(shownCta.rule, hideCta.rule);
  if (reason) return { path: 'ctaRelation', reason };
  for (const [name, { rule, ctaList = [] }] of [
    ['shownCta', shownCta],
    ['hideCta', hideCta],
  ] as const) {
    const path = `ctaRelation.${name}.ctaList`;
    if (rule === 'LIST' && ctaList.length === 0) return { path, reason: 'is empty: LIST needs the CTAs' };
    if (rule !== 'LIST' && ctaList.length > 0) {
      return { path, reason: `means nothing with ${rule}: use LIST for single CTAs` };
    }
  }
  return null;
}

function ruleProblem(shown: Relation['rule'], hide: Relation['rule']): string | null {
  if ((shown === 'ANY' && hide === 'REST') || (shown === 'LIST' && hide === 'LIST')) return null;
  const pair = `shownCta ${shown} with hideCta ${hide}`;
  if (shown === 'REST') return `${pair} says nothing: there is no list that the rest is the rest of`;
  if (hide === 'ANY') return `${pair} would hide the very CTA that is shown`;
  return `${pair} is a combination that existing clients do not evaluate`;
}

/** @throws Fault INVALID_RELATION with the path and the reason. */
export function requireRelation(ctaRelation: TagDefinition['ctaRelation']): void {
  const problem = ctaRelation && relationProblem(ctaRelation);
  if (problem) throw fail.INVALID_RELATION(`${problem.path} ${problem.reason}.`, { cause: problem.path });
}

/** Effects in apps that the definition of a behaviour tag does not show. */
export function tagWarnings({ exposureRule, ctaRelation }: TagDefinition): Warning[] {
  const warnings: Warning[] = [];
  const warn = (path: string, message: string) => void warnings.push({ path, message });
  if ((exposureRule?.session?.limit ?? 0) > 0) {
    warn(
      'exposureRule.session',
      'Apps go on counting the session of a tag over restarts: after the limit its CTAs stay away until the app is installed anew.',
    );
  }
  const { window } = exposureRule ?? {};
  if ((window?.limit ?? 0) > 0 && windowMs(window ?? {}) === 0) {
    warn('exposureRule.window.value', 'A window of no length limits nothing.');
  }
  if (ctaRelation?.shownCta?.rule === 'ANY') {
    warn(
      'ctaRelation',
      'The first CTA that runs an action holds the place for good, over resets and restarts; only a first launch frees it, for a CTA with resetCTAonFirstLaunch.',
    );
  }
  return warnings;
}
