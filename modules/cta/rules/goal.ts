import type { FilterGroup } from './rule-parts.ts';

/** How a goal is reached: by an arrival in a state of the CTA, or by a custom event that the app sends. */
export type GoalEvent =
  | { readonly state: string }
  | { readonly event: string; readonly filters?: FilterGroup };

/** The time in which a goal counts, unless given. */
export const defaultWindowHours = 168;
