import { deviceOf } from '../../modules/cta/device/device.ts';
import type { AppEvent } from '../../modules/cta/rules/app-event.ts';
import type { CtaOutcome } from '../../modules/cta/rules/outcome.ts';
import { emptyState } from '../../modules/cta/state/user-state.ts';
import type { Environment } from '../base/environment.ts';
import { whenReady } from '../base/ready.ts';
import { backoff, failureOf, mayPass } from '../base/request.ts';
import { deviceWith, firstLaunchChange } from './change.ts';
import type { Action } from './action.ts';
import { actionTimers, explained, playEvent } from './events.ts';
import { measureQueue } from './measures.ts';
import { headersOf, outboxOf, type Outbox } from './outbox.ts';
import { offerOf, rulesOf, variantIn } from './rules.ts';
import {
  forget,
  joined,
  leave,
  record,
  save,
  saveRules,
  startSession,
  unsentState,
  userMemory,
  type UserMemory,
} from './user-memory.ts';
import type { Measure } from './waiting-measures.ts';

/** The calls to action of one user. */
export interface UserCtas {
  track(event: AppEvent): readonly CtaOutcome[];
  explain(event: AppEvent): readonly CtaOutcome[];
  measure(measure: Measure): void;
  launch(): Promise<void>;
  flush(): Promise<void>;
  flushAtEnd(): void;
  pending(): number;
  /** Takes what another user of this device has not sent; nothing of it stays stored under their id. */
  inherit(userId: string): void;
  /** Stops timers and listeners. What is unsent stays stored. @param isLeft another user's turn begins. */
  close(isLeft?: true): void;
}

/** Events that wait for the first rules; later ones are dropped. */
const maxWaiting = 100;

export function userCtas(
  environment: Environment,
  userId: string,
  fetching: Environment['fetch'],
  show: (action: Action) => void,
): UserCtas {
  const memory = userMemory(environment, userId);
  const outbox = outboxOf(memory, fetching);
  const timers = actionTimers(environment, show);
  const measures = measureQueue(environment, userId, headersOf(environment, userId), fetching, outbox.flush);
  let waiting: AppEvent[] = [];

  function track(event: AppEvent): readonly CtaOutcome[] {
    const { offer } = memory;
    if (!offer || !memory.isReady) {
      if (waiting.length < maxWaiting) waiting.push(event);
      return [];
    }
    const { outcomes, changed } = playEvent(memory, offer, event);
    if (changed) outbox.wake();
    for (const outcome of outcomes) if (outcome.kind === 'action') timers.start(outcome);
    return outcomes;
  }
  function playWaiting(): void {
    const events = waiting;
    waiting = [];
    for (const event of events) track(event);
  }
  void whenReady(memory.loading, () => {
    if (memory.unsent.size > 0) outbox.wake();
    playWaiting();
  });

  const launcher = launcherOf(memory, outbox, () => {
    timers.cancel();
    return playWaiting;
  });

  return {
    track,
    explain: (event) => (memory.offer && memory.isReady ? explained(memory, memory.offer, event) : []),
    launch: launcher.launch,
    measure: (what) =>
      measures.add(Object.assign({}, what, { variant: variantIn(memory.offer, what.ctaId) })),
    flush: async () => void (await Promise.all([outbox.flush(), measures.flush()])),
    flushAtEnd: () => {
      outbox.flushAtEnd();
      measures.flushAtEnd();
    },
    pending: () => memory.unsent.size,
    inherit: (from) => {
      measures.inherit(from);
      void whenReady(inherit(memory, from), outbox.wake);
    },
    close: (isLeft) => {
      launcher.stop();
      timers.cancel();
      outbox.stop();
      measures.stop();
      memory.release();
      if (isLeft) leave(memory);
    },
  };
}

/** Launches, one at a time. @param begin is called when a session begins; it returns what is done when there are rules. */
function launcherOf(memory: UserMemory, outbox: Outbox, begin: () => () => void) {
  const { environment } = memory;
  let launching: Promise<void> | undefined;
  let closed = false;
  let failures = 0;

  async function launch(): Promise<void> {
    if (!memory.isReady) await memory.loading;
    const done = begin();
    startSession(memory, environment.now());
    await outbox.flush();
    memory.meanwhile = emptyState;
    const answer = await outbox.post('/cta/active/state-machines/', '{}');
    const data = answer.body['data'];
    if (closed) return;
    if (answer.status !== 200 || !data) {
      const { code, message } = failureOf(answer, environment);
      environment.report(code, `The rules could not be fetched; the stored ones apply: ${message}`);
      // Without any rules the app can show nothing. An answer 200 was the page of a proxy, or half of ours.
      if (!memory.offer && (mayPass(answer) || answer.status === 200))
        retry(backoff(++failures, answer.retryAfter, environment.random));
      return;
    }
    const changed = adopt(memory, data, environment.now());
    if (changed) await outbox.flush();
    done();
  }

  const relaunch = (): Promise<void> =>
    (launching ??= launch().finally(() => {
      launching = undefined;
    }));
  const retry = (delay: number) =>
    environment.later(delay, () => {
      if (!closed && !memory.offer) void relaunch();
    });

  return {
    launch: relaunch,
    stop() {
      closed = true;
    },
  };
}

/** The answer to a launch replaces everything but what the server cannot know yet. @returns whether that is a change to be sent. */
function adopt(memory: UserMemory, data: unknown, now: number): boolean {
  const rules = rulesOf(data);
  if (!rules) return false;
  // What cannot be read, e.g. on a locked device, may be there.
  const isFirst = !memory.offer && memory.written === null;
  const offer = (memory.offer = offerOf(rules));
  const known = memory.unsent.size > 0 ? memory.state : memory.meanwhile;
  memory.state = joined(memory, rules.state, known);
  memory.device = isFirst ? deviceOf(memory.state) : deviceWith(memory.state, memory.device);
  saveRules(memory, rules);
  const changed = isFirst && record(memory, firstLaunchChange(memory.state, memory.device, offer, now));
  if (!changed) void save(memory);
  return changed;
}

const inherit = (memory: UserMemory, from: string) => {
  const other = userMemory(memory.environment, from);
  other.release();
  return whenReady(other.loading, () => {
    record(memory, unsentState(other));
    forget(other);
  });
};
