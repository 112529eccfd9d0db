import type { Model } from './linearizable.ts';

/* What each thing that is called may do, one call after the other. */

export const statuses = ['passed', 'failed', 'blocked', 'retest'] as const;
export type Counts = Readonly<Record<string, number>>;
export type RunInput =
  | { readonly kind: 'update'; readonly test: number; readonly status: string }
  | { readonly kind: 'lock' | 'unlock' | 'reset' | 'detail' };
export type RunOutput = { readonly refused: string } | { readonly locked: boolean; readonly counts: Counts };

export interface RunState {
  readonly locked: boolean;
  readonly tests: readonly string[];
}

export const runModel: Model<RunState, RunInput, RunOutput> = {
  initial: { locked: false, tests: ['untested', 'untested'] },
  key: ({ locked, tests }) => `${locked} ${tests.join(' ')}`,
  step: (state, input, output) => {
    const writes = input.kind === 'update' || input.kind === 'reset';
    if ('refused' in output) {
      return output.refused === 'RUN_LOCKED' && state.locked && writes ? state : null;
    }
    if (writes && state.locked) return null;
    const after: RunState = {
      locked: input.kind === 'lock' || (state.locked && input.kind !== 'unlock'),
      tests: state.tests.map((status, index) =>
        input.kind === 'reset'
          ? 'retest'
          : input.kind === 'update' && input.test === index
            ? input.status
            : status,
      ),
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
/** The generation that a refresh gave, null when it was refused; whether a verification said yes; nothing for a revocation. */
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
