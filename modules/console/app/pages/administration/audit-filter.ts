import type { Input } from '../../api/calls.ts';

export type AuditEvent = NonNullable<Input<'list-audit'>['event']>;

/** The labels of the audit events. */
export const eventWords: Readonly<Record<AuditEvent, string>> = {
  sign_in: 'Signed in',
  sign_in_failed: 'Sign-in failed',
  refresh: 'Session refreshed',
  refresh_reuse: 'Stolen refresh token used',
  session_revoked: 'Session revoked',
  access_token_created: 'Token created',
  access_token_revoked: 'Token revoked',
  member_invited: 'Member invited',
  invitation_revoked: 'Invitation revoked',
  invitation_accepted: 'Invitation accepted',
  role_changed: 'Role changed',
  status_changed: 'Status changed',
  user_merged: 'Accounts merged',
  user_erased: 'User erased',
  identity_linked: 'Identity linked',
  identity_removed: 'Identity removed',
  key_rotated: 'Signing key rotated',
  restored: 'Database restored',
  operation: 'Operation',
};

export const isEvent = (word: string | null): word is AuditEvent =>
  word !== null && Object.hasOwn(eventWords, word);

/** The label of an entry; an event of a newer server keeps its own name. */
export const eventWord = (event: string): string => (isEvent(event) ? eventWords[event] : event);

const dayMs = 86_400_000;

/** The beginning of a day (UTC), some days later. null unless it is a day of the calendar. */
function dayTime(text: string | null, later: number): string | null {
  if (text === null || !/^\d{4}-\d\d-\d\d$/.test(text)) return null;
  const time = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(time) ? null : new Date(time + later * dayMs).toISOString();
}

/** The filter in an address. Invalid parts are ignored. `until` is a whole day, including its entries. */
export function auditFilter(address: URLSearchParams): Omit<Input<'list-audit'>, 'limit' | 'offset'> {
  const user = address.get('user') ?? '';
  const event = address.get('event');
  const operation = address.get('operation') ?? '';
  const since = dayTime(address.get('since'), 0);
  const until = dayTime(address.get('until'), 1);
  return {
    ...(/^[1-9]\d{0,14}$/.test(user) && { userId: Number(user) }),
    ...(isEvent(event) && { event }),
    ...(/^[a-z][a-z0-9-]{0,63}$/.test(operation) && { operation }),
    ...(since !== null && { since }),
    ...(until !== null && { until }),
  };
}
