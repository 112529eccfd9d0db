import { resolve } from 'node:path';
import { requireSpace, watchDatabaseFile } from '../../db/sqlite/database-place.ts';
import { readAppliedMigrations } from '../../db/ledger/ledger-store.ts';
import { missingObjects } from '../../db/query/schema-objects.ts';
import { ledgerOf, findPending } from '../../db/ledger/ledger.ts';
import { fail, Fault } from '../../base/errors.ts';
import { asFault } from '../../base/foreign-errors.ts';
import { perHost, type Host } from '../../host/host.ts';
import { migrationsOf, type Kernel } from '../../kernel/kernel.ts';
import { coreMetrics } from '../../metrics/core-metrics.ts';
import { coreSettings } from '../../settings/settings.ts';
import { damageOf } from '../../host/storage-damage.ts';
import { keyedCalls } from '../../tools/idempotency-schema.ts';
import { probeStorage } from '../../tools/idempotency.ts';
import { rateCounts } from '../rate/rate-schema.ts';

/** A check that does not hold. */
export interface FailedCheck {
  readonly name: string;
  readonly fault: Fault;
}

/** Whether a server can serve. */
export interface Readiness {
  /**
   * Runs the checks that are due. @returns the first failing check; null when all of them hold.
   * @param forReads whether a standby will do, which only reads.
   */
  look(forReads?: boolean): Promise<FailedCheck | null>;
  /** Marks the server as not ready because it stops. */
  leave(): void;
}

/** A check of `GET /readyz` and its result. */
interface CheckResult {
  readonly name: string;
  /** null when it holds. */
  readonly fault: Fault | null;
}

/** The checks of the server of a host; none without a server, e.g. for `trivet call`. */
const checksOfServer = perHost(() => ({ results: async (): Promise<readonly CheckResult[]> => [] }));

/** The current results of the checks of `GET /readyz`. Each result is cached for some seconds. */
export const checkResults = (host: Host): Promise<readonly CheckResult[]> => checksOfServer(host).results();

/** How long a result is cached: one check writes to the disk, and several systems may ask. */
const checkEveryMs = 5_000;

/** How long a failure is cached: a load balancer waits for this server to recover. */
const failedCheckEveryMs = 1_000;

/** How long an answer waits for a check: whoever asks gives up after some seconds, and must learn which check it is. */
const answerMs = 3_000;

interface Check {
  readonly name: string;
  /** It costs nothing: its result is never an old one. */
  readonly fresh?: true;
  /** Whether something has failed since it held. */
  readonly isDoubtful?: () => boolean;
  readonly run: () => Promise<void>;
}

/**
 * The checks of `GET /readyz`, which are also metrics: storage (reachable, writable, not damaged), schema, disk, and those of the modules,
 * e.g. that the master key fits. One line is logged when a check starts to fail, and one when it holds again.
 */
export function readinessOf(kernel: Kernel): Readiness {
  const { host } = kernel;
  const isStorageFailing = () => host.db.failing() !== null;
  const checks = checksOf(kernel).map((check) => remembered(check, isStorageFailing));
  host.metrics.read(coreMetrics.checkOk, () =>
    checks.map(({ name, holds }) => [[name], holds() ? 1 : 0] as const),
  );
  // In parallel: an unreachable database delays each of them.
  const results = () =>
    Promise.all(checks.map(async ({ name, result }) => ({ name, fault: await result() })));
  checksOfServer(host).results = results;
  const say = transitions(host);
  let leaving = false;
  return {
    leave: () => void (leaving = true),
    look: async (forReads = false) => {
      if (leaving)
        return {
          name: 'server',
          fault: fail.NOT_READY('The server is stopping.', { tip: 'Use another one.' }),
        };
      const [failed = null] = (await results()).flatMap(({ name, fault }) =>
        fault && !(forReads && fault.code === 'STANDBY') ? [{ name, fault }] : [],
      );
      if (failed?.fault.code !== 'STANDBY') say(failed);
      return failed;
    },
  };
}

/** Logs once that a server is not ready, until it is ready again. Failures that the storage has logged itself are not repeated. */
function transitions(host: Host): (failed: FailedCheck | null) => void {
  let said: string | null = null;
  return (failed) => {
    if (!failed) {
      if (said !== null) host.log.info('ready_again', { check: said });
      said = null;
      return;
    }
    const { name, fault } = failed;
    const known =
      host.db.failing() !== null || fault.code === 'DATABASE_BUSY' || damageOf(host) !== undefined;
    if (said === name || (name === 'storage' && known)) return;
    said = name;
    host.log.error('not_ready', {
      check: name,
      code: fault.code,
      cause: fault.causeWord,
      reason: fault.message,
      remedy: fault.tip,
    });
  };
}

function checksOf(kernel: Kernel): readonly Check[] {
  const { host, modules } = kernel;
  const sqlite = host.db.engine === 'sqlite';
  const directory = resolve(host.config.read(coreSettings).data);
  const checkFile = sqlite ? watchDatabaseFile(directory) : () => {};
  const migrations = migrationsOf(modules);
  const ledger = ledgerOf(migrations);
  const tables = [{ keyedCalls, rateCounts }, ...modules.map((module) => module.tables ?? {})].flatMap(
    (one) => Object.values(one),
  );
  return [
    {
      name: 'storage',
      isDoubtful: () => host.db.failing() !== null || damageOf(host) !== undefined,
      run: async () => {
        const damage = damageOf(host);
        if (damage) throw damage;
        checkFile();
        try {
          await probeStorage(host);
        } catch (error) {
          // The check "schema" says that.
          if (!(error instanceof Fault) || error.code !== 'SCHEMA_IS_NEWER') throw error;
        }
      },
    },
    {
      name: 'schema',
      run: async () => {
        const applied = await readAppliedMigrations(host.db.q);
        ledger.check(applied.map(({ tag }) => tag));
        const missing = findPending(applied, migrations).map(({ tag }) => `"${tag}"`);
        if (missing.length > 0)
          throw fail.NOT_READY(`The database lacks ${missing.join(', ')}.`, {
            tip: 'It was replaced by an older one. Restart this server, or run trivet migrate.',
          });
        const [lost, ...more] = await missingObjects(host.db, tables);
        if (lost)
          throw fail.NOT_READY(
            `The database lacks the ${lost.kind} ${lost.name}${more.length > 0 ? ` and ${more.length} more` : ''}.`,
            { tip: 'Something else has dropped it. trivet doctor names all of it; restore a backup.' },
          );
      },
    },
    {
      name: 'primary',
      fresh: true,
      run: async () => {
        const refusal = host.db.refusal();
        if (refusal) throw refusal;
      },
    },
    ...(sqlite ? [{ name: 'disk', run: async () => requireSpace(directory) }] : []),
    ...modules.flatMap(({ name, ready }) => (ready ? [{ name, run: () => ready(host) }] : [])),
  ];
}

/** A check whose result is kept for a while. A failure found while the storage failed is not kept after the storage works again. */
function remembered({ name, run, fresh, isDoubtful = () => false }: Check, isStorageFailing: () => boolean) {
  let againAt = -Infinity;
  let failedWithStorage = false;
  let running: Promise<Fault | null> | undefined;
  let known: Fault | null = null;

  /** Runs the check. The answer says that it is late while it goes on after {@link answerMs}. */
  const look = (): Promise<Fault | null> => {
    const answer = Promise.withResolvers<Fault | null>();
    const late = setTimeout(() => {
      known = fail.NOT_READY(`The check "${name}" has not ended within ${answerMs / 1_000} seconds.`, {
        tip: 'The database, the disk or the machine hangs, or is overloaded.',
      });
      answer.resolve(known);
    }, answerMs);
    const ended = (found: Fault | null) => {
      clearTimeout(late);
      known = found;
      failedWithStorage = isStorageFailing();
      againAt = performance.now() + (known ? failedCheckEveryMs : checkEveryMs);
      running = undefined;
      answer.resolve(known);
    };
    run().then(
      () => ended(null),
      (error: unknown) => ended(asFault(error)),
    );
    return answer.promise;
  };

  return {
    name,
    // A standby is as it should be: nobody need be woken.
    holds: () => known === null || known.code === 'STANDBY',
    result: (): Promise<Fault | null> => {
      if (running) return running;
      const isStale = known === null ? isDoubtful() : failedWithStorage && !isStorageFailing();
      if (!fresh && !isStale && performance.now() < againAt) return Promise.resolve(known);
      return (running = look());
    },
  };
}
