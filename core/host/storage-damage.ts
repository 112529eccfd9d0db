import { Fault } from '../base/errors.ts';
import { asFault } from '../base/foreign-errors.ts';
import { perHost, type Host } from './host.ts';
import { oncePerMinute } from '../base/log-interval.ts';

/** Whether SQLite has reported that the file is damaged. */
export const isDamage = ({ causeWord }: Fault): boolean => /^sqlite_(?:corrupt|notadb)/.test(causeWord ?? '');

const damage = perHost(() => ({ fault: undefined as Fault | undefined, sayOnce: oncePerMinute() }));

/**
 * Records that the storage failed a request, with one log line for all of them. A damaged database stays recorded, even if the next request
 * finds its pages intact, until a restart checks the file.
 * @param thrown a Fault for failed writes, which are already logged; the error of the engine for failed reads.
 */
export function noteStorageFailure(host: Host, thrown: unknown): void {
  const fault = asFault(thrown);
  const noted = damage(host);
  if (isDamage(fault)) {
    if (noted.fault) return;
    noted.fault = fault;
    const remedy = 'Stop the server, run trivet doctor, and restore a backup.';
    host.log.error('database_damaged', { code: fault.causeWord, remedy });
  } else if (!(thrown instanceof Fault) && fault.code === 'STORAGE_FAILED') {
    noted.sayOnce(fault.causeWord ?? '', () =>
      host.log.error('storage_failed', { code: fault.causeWord, remedy: fault.tip }),
    );
  }
}

/** The fault that revealed the damage. */
export const damageOf = (host: Host): Fault | undefined => damage(host).fault;
