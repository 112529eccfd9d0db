/** Something that a CTA asks the app to show or do. */
export interface Action {
  readonly ctaId: string;
  readonly groupKey: string;
  readonly actionId: string;
  /** NUDGE_UI, POPUP, TOOLTIP or NUDGE_ACTION. */
  readonly type: string;
  /** What the marketer wrote; its form is the app's. */
  readonly template: unknown;
  /** The event properties that the CTA collected. */
  readonly context: Readonly<Record<string, unknown>>;
  /** Milliseconds for which it was delayed. */
  readonly delay: number;
  /** Somebody wants to see it in this app; it belongs to no CTA and counts for no limit. */
  readonly preview?: true;
}
