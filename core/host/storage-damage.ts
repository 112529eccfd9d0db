import { Fault } from '../base/errors.ts';
import { asFault } from '../base/foreign-errors.ts';
import { perHost, type Host } from './host.ts';
import { oncePerMinute } from '../base/log-interval.ts';

/** Whether SQLite said that the file is damaged. */
export const isDamage = ({ causeWord }: Fault): boolean => /^sqlite_(?:corrupt|notadb)/.test(causeWord ?? '');

const damage = perHost(() => ({ fault: undefined as Fault | undefined, sayOnce: oncePerMinute() }));

/**
 * Notes that a request failed by the storage, in one line for all of them. That the database is damaged is never forgotten, though the
 * next request may find the pages that it needs whole: a restart, which checks the file, is what ends it.
 * @param thrown failed writes were logged where they failed, and are a Fault; failed reads are the error of the engine.
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

/** The fault by which the database was found damaged. */
export const damageOf = (host: Host): Fault | undefined => damage(host).fault;
