import type { Model } from './linearizable.ts';

/* Sequential models of the tested operations. */

export const statuses = ['passed', 'failed', 'blocked', 'retest'] as const;
export type Counts = Readonly<Record<string, number>>;
export type RunInput =
  | { readonly kind: 'update'; readonly test: number; readonly status: string }
  | { readonly kind: 'both'; readonly status: string }
  | { readonly kind: 'remove'; readonly test: number }
  | { readonly kind: 'lock' | 'unlock' | 'reset' | 'detail' | 'stop' | 'start' };
export type RunOutput =
  | { readonly refused: string }
  | { readonly locked: boolean; readonly counts: Counts }
  | { readonly active: boolean };

export interface RunState {
  readonly locked: boolean;
  /** Whether its project is active. */
  readonly active: boolean;
  /** The status of each test; null when it was removed from the run. */
  readonly tests: ReadonlyArray<string | null>;
}

/** Why a call is refused; undefined if it is not. The first reason counts. */
function refusalOf({ locked, active, tests }: RunState, input: RunInput): string | undefined {
  if (input.kind === 'detail') return undefined;
  if (!active) return 'PROJECT_INACTIVE';
  if (input.kind === 'lock' || input.kind === 'unlock') return undefined;
  if (locked) return 'RUN_LOCKED';
  const named = input.kind === 'update' || input.kind === 'remove' ? [tests[input.test]] : [];
  return (input.kind === 'both' ? tests : named).includes(null) ? 'NOT_IN_RUN' : undefined;
}

function statusAfter(input: RunInput, before: string | null, index: number): string | null {
  if (before === null) return null;
  switch (input.kind) {
    case 'reset':
      return 'retest';
    case 'both':
      return input.status;
    case 'update':
      return input.test === index ? input.status : before;
    case 'remove':
      return input.test === index ? null : before;
    default:
      return before;
  }
}

export const runModel: Model<RunState, RunInput, RunOutput> = {
  initial: { locked: false, active: true, tests: ['untested', 'untested'] },
  key: ({ locked, active, tests }) => `${locked} ${active} ${tests.join(' ')}`,
  step: (state, input, output) => {
    if (input.kind === 'stop' || input.kind === 'start') {
      const active = input.kind === 'start';
      return 'active' in output && output.active === active ? { ...state, active } : null;
    }
    const refusal = refusalOf(state, input);
    if ('refused' in output) return output.refused === refusal ? state : null;
    if (refusal !== undefined || !('counts' in output)) return null;
    const after: RunState = {
      active: state.active,
      locked: input.kind === 'lock' || (state.locked && input.kind !== 'unlock'),
      tests: state.tests.map((status, index) => statusAfter(input, status, index)),
    };
    const counted = (status: string) => after.tests.filter((each) => each === status).length;
    const fits = [...statuses, 'untested'].every((status) => output.counts[status] === counted(status));
    return fits && output.locked === after.locked ? after : null;
  },
};

export interface Shown {
  readonly at: number | null;
  readonly done: readonly number[];
}
export type StateInput =
  | { readonly kind: 'delta'; readonly at: number; readonly reset: boolean }
  | { readonly kind: 'launch'; readonly at: number | null };

export interface UserModel {
  readonly at: number;
  readonly reset: boolean;
  readonly done: readonly number[];
}

export const userModel: Model<UserModel, StateInput, Shown | true> = {
  initial: { at: 0, reset: true, done: [] },
  key: ({ at, reset, done }) => `${at} ${reset} ${done.join()}`,
  step: (state, input, output) => {
    const { at } = input;
    const reset = input.kind === 'delta' && input.reset;
    const after =
      at === null
        ? state
        : {
            ...(at > state.at ? { at, reset } : { at: state.at, reset: state.reset }),
            done: [...state.done, at].toSorted((a, b) => a - b),
          };
    if (output === true) return after;
    const fits = output.at === (after.reset ? null : after.at) && output.done.join() === after.done.join();
    return fits ? after : null;
  },
};

export type SessionInput =
  | { readonly kind: 'refresh'; readonly generation: number }
  | { readonly kind: 'revoke' }
  | { readonly kind: 'verify' };
/** The generation that a refresh gave, null when it was refused; whether a verification succeeded; null for a revocation. */
export type SessionOutput = number | boolean | null;

export interface SessionState {
  readonly generation: number;
  readonly revoked: boolean;
}

export const sessionModel: Model<SessionState, SessionInput, SessionOutput> = {
  initial: { generation: 0, revoked: false },
  key: ({ generation, revoked }) => `${generation} ${revoked}`,
  step: (state, input, output) => {
    if (input.kind === 'verify') return output === !state.revoked ? state : null;
    if (input.kind === 'revoke') return { ...state, revoked: true };
    if (state.revoked) return output === null ? state : null;
    const { generation } = state;
    if (input.generation === generation)
      return output === generation + 1 ? { ...state, generation: generation + 1 } : null;
    if (input.generation === generation - 1) return output === generation ? state : null;
    return output === null ? { ...state, revoked: true } : null;
  },
};
