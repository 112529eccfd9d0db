import { alarm } from '../base/alarm.ts';
import type { Environment } from '../base/environment.ts';
import { backoff, failureOf, isRefused, send, type Answer } from '../base/request.ts';
import { deltasOf } from './delta.ts';
import { save, type UserMemory } from './user-memory.ts';

/** Sends what is unsent of a user: one request at a time, again until the server has it. */
export interface Outbox {
  /** Sends soon, and waits for what may follow. */
  wake(): void;
  /** Sends now. @returns whether the server has what was unsent before. */
  flush(): Promise<boolean>;
  /** The page may end now. */
  flushAtEnd(): void;
  post(path: string, json: string): Promise<Answer>;
  stop(): void;
}

/** Milliseconds after a change, in which others may follow. */
const gathering = 250;
/** A page may send 64 KiB at its end, which its requests share. What is more waits for the next launch. */
const maxAtEnd = 48 * 1024;
const deltaPath = '/cta/state-machines/snapshot/delta/';

export function outboxOf(memory: UserMemory, fetching: Environment['fetch']): Outbox {
  const { environment, userId } = memory;
  const { report } = environment;
  let flight: Promise<void> | undefined;
  let failures = 0;
  const next = alarm(environment, () => flush());

  // Read for each request: an app may run for days, and its user may travel.
  const post = (path: string, json: string, keepalive = false) =>
    send(environment, path, { json, headers: headersOf(environment, userId), keepalive }, fetching);
  const flush = (keepalive = false): Promise<void> => {
    next.clear();
    return (flight ??= sendAll(keepalive).finally(() => {
      flight = undefined;
    }));
  };

  async function sendAll(keepalive: boolean): Promise<void> {
    if (!memory.isReady) await memory.loading;
    const sent = Array.from(memory.unsent);
    const before = memory.state;
    for (const body of deltasOf(before, memory.offer, sent)) {
      const answer = await post(deltaPath, body, keepalive);
      // Nothing is removed before the server confirmed it. Another server that answers 200 has confirmed nothing.
      if (answer.status === 200 && answer.body['data'] === true) continue;
      const { code, message } = failureOf(answer, environment);
      if (isRefused(answer)) {
        report('DELTA_REFUSED', `Changes were thrown away: ${message}`);
        continue;
      }
      next.set(backoff(++failures, answer.retryAfter, environment.random));
      report(code, `Changes wait, because they could not be sent: ${message}`);
      return;
    }
    failures = 0;
    if (sent.length > 0) await save(memory, sent, before);
    if (memory.unsent.size > 0) next.set(gathering);
  }

  return {
    // After a failure a later time is set already.
    wake: () => next.ensure(gathering),
    flush: async () => {
      await memory.loading;
      // What happened since a request began is not in it.
      await flight;
      for (let tries = 3; tries > 0 && memory.unsent.size > 0; tries--) {
        await flush();
        if (failures > 0) return false;
      }
      return true;
    },
    flushAtEnd: () => {
      const bodies = deltasOf(memory.state, memory.offer, Array.from(memory.unsent));
      if (bodies.length === 0 || bodies.join('').length > maxAtEnd) return;
      // A request under way may end with the page: its changes are sent twice, which changes nothing.
      if (flight) for (const body of bodies) void post(deltaPath, body, true);
      else void flush(true);
    },
    post,
    stop: next.stop,
  };
}

export function headersOf({ tenantId, app }: Environment, userId: string): Record<string, string> {
  const headers: Record<string, string> = {
    api_version: '1',
    'auth-userid': userId,
    'x-tenant-id': tenantId,
  };
  if (app.version) headers['app_version'] = app.version;
  if (app.hotupdateVersion) headers['hotupdate_version'] = app.hotupdateVersion;
  if (app.packageName) headers['package_name'] = app.packageName;
  const zone = timeZone();
  if (zone) headers['tz'] = zone;
  return headers;
}

/** That of the device, for quiet hours. Hermes may have no `Intl`. */
const timeZone = () =>
  typeof Intl === 'object' ? new Intl.DateTimeFormat().resolvedOptions().timeZone : undefined;
