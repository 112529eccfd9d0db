import type { Fault } from './errors.ts';
import { perHost, type Host } from './host.ts';

/** Whether SQLite said that the file is damaged. */
export const isDamage = ({ causeWord }: Fault): boolean => /^sqlite_(?:corrupt|notadb)/.test(causeWord ?? '');

const damage = perHost(() => ({ fault: undefined as Fault | undefined }));

/**
 * Notes that a request met a damaged database. The next one may find the pages that it needs whole, so this is never forgotten: a
 * restart, which checks the file, is what ends it.
 */
export function noteDamage(host: Host, fault: Fault): void {
  const noted = damage(host);
  if (noted.fault || !isDamage(fault)) return;
  noted.fault = fault;
  host.log.error('database_damaged', {
    code: fault.causeWord,
    remedy: 'Stop the server, run trivet doctor, and restore a backup.',
  });
}

/** The fault by which the database was found damaged. */
export const damageOf = (host: Host): Fault | undefined => damage(host).fault;
