import type { Query } from '../../../core/db/query/db.ts';
import { waitingFacts, writeFacts } from '../../../core/letters/letter-store.ts';

export const invitationKind = 'invitation';

/** What the wrapped code in the letter of an invitation belongs to. */
export const wrappedName = (invitationId: number) => `invitation ${invitationId}`;

/**
 * Wraps the codes of the letters that wait anew.
 * @param again wraps a text anew; null when no key opens it: its letter is lost, which the letter job says.
 */
export async function rewrapInvitations(
  q: Query,
  again: (name: string, wrapped: string) => string | null,
): Promise<void> {
  for (const { id, facts } of await waitingFacts(q, invitationKind)) {
    const { invitationId, code } = facts;
    const wrapped = typeof code === 'string' ? again(wrappedName(Number(invitationId)), code) : null;
    if (wrapped !== null) await writeFacts(q, id, { ...facts, code: wrapped });
  }
}
