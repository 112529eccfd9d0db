import type { FilterGroup } from './rule.ts';

/** How it is decided who belongs to a cohort. */
export type CohortDefinition =
  | { readonly kind: 'list' }
  | { readonly kind: 'percentage'; readonly percentage: number; readonly seed: string }
  | { readonly kind: 'attributes'; readonly filters: FilterGroup };
