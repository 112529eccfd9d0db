import { storageFault } from './db/dialect.ts';
import { Fault, fail } from './errors.ts';

/**
 * Any thrown value as a Fault: what every surface answers with. A storage that cannot be read is said so; whatever else is
 * unexpected becomes INTERNAL: its text stays out of the answer.
 */
export function asFault(thrown: unknown): Fault {
  const known = storageFault(thrown);
  return known instanceof Fault ? known : fail.INTERNAL('The server failed to answer this request.');
}
