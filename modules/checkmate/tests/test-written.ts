import { fail } from '../base/errors.ts';

/** The answer of a write that became proposals, as an agent's does. Clients of Checkmate know no proposals. */
interface Proposed {
  readonly written: false;
  readonly message: string;
}

/** The record that a write returned. @throws Fault CONFLICT for proposals: nothing was written. */
export function writtenRecord<T extends object>(answer: T | Proposed): Exclude<T, Proposed> {
  if ('written' in answer)
    throw fail.CONFLICT((answer as Proposed).message, {
      cause: 'review',
      tip: 'Approve and merge it in the console, page Reviews.',
    });
  return answer as Exclude<T, Proposed>;
}
