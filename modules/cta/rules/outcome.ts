import type { Action } from './rule-parts.ts';

/* What an event leads to. Types alone, because the SDK publishes them. */

/** Impressions so far in each of the three scopes. */
export interface ShowCounts {
  readonly session: number;
  readonly window: number;
  readonly lifespan: number;
}

/** The reason why a CTA did not do what an event requested. */
export type Hold =
  | `exposure.${keyof ShowCounts}`
  | 'relation'
  | 'valid_till'
  | `frequency.${keyof ShowCounts}`
  | 'group_key'
  | 'machine_count'
  /** Another action ran on the same event. */
  | 'one_action'
  /** A POPUP or NUDGE_UI waits for a context parameter. */
  | 'context'
  /** A POPUP or NUDGE_UI has no template: nothing appears, but it still blocks others. */
  | 'template'
  /** A later delayed action of the CTA, or the end of the app, came before the delay had passed. */
  | 'trigger_delay';

/** The outcomes of an event, in order. `counts` are the values before this impression. */
export type CtaOutcome = { readonly ctaId: string; readonly groupKey: string } & Happened;

export type Happened =
  /** A machine was created and stays in "0". */
  | { readonly kind: 'started'; readonly state: string }
  | { readonly kind: 'transition'; readonly from: string; readonly to: string; readonly started: boolean }
  | {
      readonly kind: 'action';
      readonly action: Action;
      readonly counts: ShowCounts;
      /** That of the machine itself, which later events change. */
      readonly context: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: 'reset'; readonly state: string }
  /** A machine was past its time to live: it is removed, and the event does nothing else. */
  | { readonly kind: 'expired'; readonly state: string }
  | {
      readonly kind: 'held';
      readonly hold: Hold;
      readonly to: string | null;
      readonly counts: ShowCounts | null;
    };
