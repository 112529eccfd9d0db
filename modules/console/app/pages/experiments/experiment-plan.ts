import { isJson, listOf, objectOf, type Json } from '../rule-editor/json-path.ts';
import { t } from '../../texts/text.ts';

/** Most variants of an experiment. */
export const mostVariants = 5;

/** Equal weights, of which 3 also add up to 1. */
export const evenly = (variants: readonly unknown[]): readonly Json[] =>
  variants.map((variant) => ({ ...objectOf(variant), weight: 1 / variants.length }));

/**
 * A first plan: half of all users get the CTA as it is, half of them other actions, which begin as a copy.
 * @param word makes the seed another than that of any other experiment. @param earlier the key of the experiment before.
 */
export function plannedExperiment(rule: Json, word: string, earlier: string | null = null): Json {
  const number = /^experiment-(\d{1,6})$/.exec(earlier ?? '')?.[1] ?? '0';
  const key = `experiment-${Number(number) + 1}`;
  return {
    key,
    seed: `${key}-${word}`,
    coverage: 1,
    variants: evenly([{ key: 'as-it-is' }, { key: 'new', actions: listOf(rule['actions']) }]),
  };
}

/** The name of one more variant. */
export function nextKey(variants: readonly unknown[]): string {
  const keys = new Set(variants.map((variant) => objectOf(variant)['key']));
  for (let number = variants.length + 1; ; number++) if (!keys.has(`new-${number}`)) return `new-${number}`;
}

/** What the shares of the variants add up to in percent, if that is not 100. */
export function wrongSum(variants: readonly unknown[]): number | null {
  const sum = variants.reduce<number>((total, one) => total + Number(objectOf(one)['weight'] ?? 0), 0);
  return Math.abs(sum - 1) <= 1e-9 ? null : Math.round(sum * 10_000) / 100;
}

/** Why a variant cannot be a control, for a person; null: it can. The server refuses the same. */
export function noControlBecause(rule: Json, variants: readonly unknown[]): string | null {
  if (listOf(rule['contextParams']).length > 0)
    return t(
      'The CTA waits for its context before it shows. A control would not wait, so its users could not be compared.',
    );
  const shown = variants.map(objectOf).filter((variant) => variant['control'] !== true);
  const hasTip = shown.some((variant) =>
    listOf(variant['actions'] ?? rule['actions']).some(
      (action) => isJson(action) && action['type'] === 'TOOLTIP',
    ),
  );
  return hasTip
    ? t('A tooltip does not keep other CTAs back, and a control does, so its users could not be compared.')
    : null;
}

interface ShownVariant {
  readonly key: string;
  readonly control?: boolean | undefined;
  readonly actions?: unknown;
}

/** The names of variants that show the same, e.g. a copy of the actions that nobody changed. @param ofRule what a variant without its own has. */
export function equalVariants(variants: readonly ShownVariant[], ofRule: unknown): readonly string[] {
  const shown = variants.filter(({ control }) => control !== true);
  const groups = Map.groupBy(shown, ({ actions }) => JSON.stringify(actions ?? ofRule));
  return [...groups.values()].find((equal) => equal.length > 1)?.map(({ key }) => key) ?? [];
}
