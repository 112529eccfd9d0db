import type { CtaOutcome } from '../../modules/cta/rules/outcome.ts';
import { emitter, type Emitter } from '../base/emitter.ts';
import { environmentOf, type Environment, type TrivetOptions } from '../base/environment.ts';
import type { Action } from './action.ts';
import type { Measure } from './waiting-measures.ts';
import { plainProperties } from './plain-properties.ts';
import { fetchPreview, previewAction, previewIdOf, type Preview } from './preview.ts';
import { userInTurn, type Following, type UserChange } from './user-in-turn.ts';

export type { Lifecycle, Trouble, TrivetOptions } from '../base/environment.ts';
export type { TrivetError } from '../base/failure.ts';
export type { TrivetStorage } from '../base/storage.ts';
export type { Action } from './action.ts';
export type { Measure } from './waiting-measures.ts';
export type { Preview } from './preview.ts';
export type { UserChange } from './user-in-turn.ts';
export type Outcome = CtaOutcome;

/** What was measured: an action, or a part of one. */
export interface Measured {
  readonly ctaId: string;
  readonly groupKey?: string;
  readonly actionId?: string;
  readonly preview?: true;
}

export interface MeasureMore {
  /** What was pressed. */
  readonly element?: string;
  /** Of a goal. */
  readonly name?: string;
  readonly value?: number;
}

/** What {@link Cta.on} tells. */
export interface CtaEvents {
  /** An action of a CTA, when its delay is over. */
  readonly action: Action;
  /** Another user's calls to action begin: what is still on the screen is of the one before. */
  readonly user: UserChange;
}

export interface Cta {
  /**
   * Whose events follow; null: nobody's, and events are ignored. What is unsent of the user before stays stored for that user and is
   * sent in that user's name. @param userId a whole number of 64 bits, as text or number.
   */
  setUser(userId: string | number | null): void;
  /**
   * Starts a session: sends what is unsent and fetches the rules and the state. Never rejects: without network the stored rules apply,
   * and `onError` is told.
   */
  launch(): Promise<void>;
  /** Something happened. Decides at once, from memory, and never throws. Before the first launch events wait, and the answer is empty. */
  track(name: string, properties?: Readonly<Record<string, unknown>>): readonly Outcome[];
  /** What {@link track} would answer, without doing it. */
  explain(name: string, properties?: Readonly<Record<string, unknown>>): readonly Outcome[];
  /**
   * Tells the server what a person did with an action, or a goal that they reached (`custom` with a `name`). It is stored at once and sent
   * soon, also if the page is closed right after it. A preview is not counted. Never throws. A goal may name no CTA:
   * `measure('custom', {}, { name: 'bought' })` counts for the goals of each.
   */
  measure(what: Measure['type'], of: Measured, more?: MeasureMore): void;
  measure(what: 'custom', of: Partial<Measured>, more?: MeasureMore): void;
  /** @returns the removal of the listener. */
  on<Name extends keyof CtaEvents>(event: Name, listener: (told: CtaEvents[Name]) => void): () => void;
  /** Shows a preview by its id or link: listeners get an action with `preview: true`. Null: unknown or expired. */
  preview(idOrUrl: string): Promise<Preview | null>;
  /** Shows the preview of a link (also a scanned one) after the launch. @returns whether the link is one of a preview. */
  handleUrl(url: string): boolean;
  /** Sends what is unsent now. Never rejects. */
  flush(): Promise<void>;
  /** How many changes are unsent. */
  pending(): number;
  dispose(): void;
}

/** Calls to action for an app. Touches nothing until it is used. */
export const createCta = (options: TrivetOptions): Cta => ctaIn(environmentOf(options));

export function ctaIn(
  environment: Environment,
  following?: Following,
): Cta & { inherit(userId: string): void } {
  const told: { readonly [Name in keyof CtaEvents]: Emitter<CtaEvents[Name]> } = {
    action: emitter(environment),
    user: emitter(environment),
  };
  const users = userInTurn(environment, told.action.emit, told.user.emit, following);
  let isLaunched = false;
  let waitingPreview: string | undefined;

  const preview = async (idOrUrl: string): Promise<Preview | null> => {
    const found = await fetchPreview(environment, previewIdOf(idOrUrl) ?? idOrUrl, users.fetching());
    if (found) told.action.emit(previewAction(found));
    return found;
  };
  const safely = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch (error) {
      environment.report('EVENT_FAILED', 'An event failed.', error);
      return undefined;
    }
  };
  const play = (how: 'track' | 'explain', name: unknown, given: unknown): readonly Outcome[] =>
    safely(() => {
      const properties = plainProperties(given, environment);
      const event = { name: String(name), at: Math.trunc(environment.now()), properties };
      return users.use((ctas) => ctas[how](event));
    }) ?? [];

  return {
    setUser: users.choose,
    launch: async () => {
      await users.launch();
      isLaunched = true;
      const waiting = waitingPreview;
      waitingPreview = undefined;
      if (waiting !== undefined) await preview(waiting);
    },
    track: (name, properties) => play('track', name, properties),
    explain: (name, properties) => play('explain', name, properties),
    measure: (type: Measure['type'], of: Partial<Measured>, { element, name, value }: MeasureMore = {}) => {
      safely(() => {
        const { ctaId, groupKey, actionId, preview: isPreview } = of;
        const measure = { type, ctaId, groupKey, actionId, element, name, value };
        if (!isPreview) users.use((ctas) => ctas.measure(measure));
      });
    },
    on: (event, listener) => told[event].on(listener),
    preview,
    handleUrl: (url) => {
      const id = previewIdOf(String(url));
      if (id !== undefined && isLaunched) void preview(id);
      else waitingPreview = id ?? waitingPreview;
      return id !== undefined;
    },
    flush: async () => users.now()?.flush(),
    pending: () => users.now()?.pending() ?? 0,
    inherit: (userId) => users.now()?.inherit(userId),
    dispose: users.dispose,
  };
}
