import type {
  actionTypes,
  comparisonTypes,
  functionOperators,
  groupOperators,
  propertyTypes,
} from './rule-words.ts';

/*
 * The parts of a rule that are recursive or have keys chosen by the administrator. Types alone, without a schema: the SDK publishes them, and
 * it has no dependencies.
 */

/** `{event: {fromState: [{transitionTo, filters?}]}}`; the first match in a list wins. */
export type StateTransition = Readonly<Record<string, Readonly<Record<string, readonly Transition[]>>>>;

export interface Transition {
  readonly transitionTo: string;
  readonly filters?: FilterGroup;
}

export interface FilterGroup {
  readonly operator: (typeof groupOperators)[number];
  readonly filter: readonly (FilterGroup | FilterLeaf)[];
}

/** The leaf fails if the event lacks the property. With `functions`, `comparisonValue` may be omitted. */
export interface FilterLeaf {
  readonly propertyName: string;
  readonly propertyType: (typeof propertyTypes)[number];
  readonly comparisonType: (typeof comparisonTypes)[number];
  readonly comparisonValue?: string | number | boolean;
  readonly functions?: FilterFunction;
}

/** An operand is a number, `$.eventProperty`, `$.currentTime` (epoch milliseconds) or another function. */
export interface FilterFunction {
  readonly operator: (typeof functionOperators)[number];
  readonly operand1: number | string | FilterFunction;
  readonly operand2: number | string | FilterFunction;
}

export interface Action {
  readonly actionId: string;
  readonly type: (typeof actionTypes)[number];
  /** Milliseconds. */
  readonly config?: { readonly triggerDelay?: number };
  readonly template?: unknown;
}

/** The rule as clients receive it (docs/contract.md, App launch), with the fields in this order. */
export interface WireRule {
  readonly stateToAction: Readonly<Record<string, string>>;
  readonly resetStates: readonly string[];
  readonly resetCTAonFirstLaunch: boolean;
  readonly contextParams: readonly string[];
  readonly stateTransition: StateTransition;
  /** The count is never null, because clients compare with it. */
  readonly groupByConfig: {
    readonly maxActiveStateMachineCount?: number;
    readonly groupByKeys: readonly string[];
  };
  readonly priority: number;
  /** Milliseconds; `endlessTTL` (state/time-to-live.ts) means for ever. Never 0, which a client would read as "at once". */
  readonly stateMachineTTL: number;
  /** Epoch milliseconds. */
  readonly ctaValidTill: number | null;
  readonly actions: readonly Action[];
  /** Both spellings: the interface specification uses `lifeSpan`, existing clients read `lifespan`. */
  readonly frequency: {
    readonly session?: { readonly limit: number };
    readonly window?: { readonly limit: number; readonly unit: string; readonly value: number };
    readonly lifeSpan?: { readonly limit: number };
    readonly lifespan?: { readonly limit: number };
  };
}
