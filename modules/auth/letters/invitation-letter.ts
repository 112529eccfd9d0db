import { Fault } from '../../../core/base/errors.ts';
import type { Query } from '../../../core/db/query/db.ts';
import type {
  Addressee,
  Host,
  LeftLetter,
  LetterContent,
  LetterFacts,
  LostLetter,
} from '../../../core/host/host.ts';
import { recipientOf } from '../../../core/letters/letter-address.ts';
import { queueLetters, refusedKinds, undeliveredLetters } from '../../../core/letters/letter-store.ts';
import { hasPresentKey } from '../keys/master-key-check.ts';
import { invitationKind, wrappedName } from '../keys/wrapped-invitation.ts';
import { unwrap, wrap } from '../keys/wrapped-key.ts';
import { invitationLink } from '../people/invitation-link.ts';
import { openInvitation } from '../people/invitation-store.ts';
import { namesOfUsers } from '../people/user-store.ts';

interface Invited {
  readonly invitationId: number;
  readonly code: string;
  readonly email: string;
  readonly by: number;
}

/**
 * Queues the letter of an invitation, in the transaction that stores it. The outbox has the code under the master key, because the database
 * has only the hash of a code.
 */
export async function queueInvitation(
  q: Query,
  host: Host,
  { invitationId, code, email, by }: Invited,
): Promise<'waiting' | 'refused'> {
  const to = { address: email };
  if ((await refusedKinds(q, recipientOf(to))).has(invitationKind)) return 'refused';
  const facts = { invitationId, by, code: wrap(host, wrappedName(invitationId), code) };
  const stored = await queueLetters(q, host, [
    { kind: invitationKind, to, about: String(invitationId), facts },
  ]);
  return stored > 0 ? 'waiting' : 'refused';
}

/** The letter, unless the invitation was redeemed or revoked meanwhile. */
export async function writeInvitation(
  host: Host,
  { invitationId, code: wrapped, by }: LetterFacts,
  to: Addressee,
): Promise<LetterContent | LostLetter | LeftLetter | null> {
  if (!('address' in to) || typeof wrapped !== 'string') return null;
  const code = unwrapped(host, Number(invitationId), wrapped);
  // Nobody gets this link any more. As unwanted it would look like an invitation that was revoked.
  if (code === null) return (await hasPresentKey(host)) ? { lost: 'master_key' } : { left: 'master_key' };
  const open = await openInvitation(host.db.q, code, host.clock.now());
  if (!open) return null;
  const inviter = (await namesOfUsers(host.db.q, [Number(by)])).get(Number(by)) ?? 'An administrator';
  return {
    to: to.address,
    subject: `Invitation to ${open.organization}`,
    text: [
      `${inviter} invites you to ${open.organization}, with the role "${open.role}".`,
      'The link works once, within 7 days. If you do not know what this is about, do nothing.',
    ],
    link: { name: 'Accept the invitation', url: invitationLink(host, code) },
    reason: `You get this letter because an administrator of ${open.organization} gave your address.`,
  };
}

/** The code; null if it was wrapped under a master key that is no longer accepted. */
function unwrapped(host: Host, invitationId: number, wrapped: string): string | null {
  try {
    return unwrap(host, wrappedName(invitationId), wrapped);
  } catch (error) {
    if (error instanceof Fault && error.code === 'KEYS_UNREADABLE') return null;
    throw error;
  }
}

/**
 * The invitations whose letter has not arrived: it waits, or was given up, e.g. because the mail server refuses the address. Whoever invited
 * would not hear of it otherwise.
 * @param since the time of the oldest invitation, epoch ms.
 */
export async function undeliveredInvitations(
  q: Query,
  since: number,
): Promise<ReadonlyMap<number, 'waiting' | 'failed'>> {
  const letters = await undeliveredLetters(q, invitationKind, since);
  return new Map(letters.map(({ facts, status }) => [Number(facts['invitationId']), status]));
}
