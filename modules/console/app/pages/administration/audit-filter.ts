import { isCalendarDay } from '../../../../../core/base/calendar-day.ts';
import type { Input } from '../../api/calls.ts';
import { t, wordIn } from '../../texts/text.ts';

type AuditEvent = NonNullable<Input<'list-audit'>['event']>;

/** The labels of the audit events. */
export const eventWords: Readonly<Record<AuditEvent, string>> = {
  sign_in: t('Signed in'),
  sign_in_failed: t('Sign-in failed'),
  refresh: t('Session refreshed'),
  refresh_reuse: t('Stolen refresh token used'),
  session_revoked: t('Session revoked'),
  access_token_created: t('Token created'),
  access_token_revoked: t('Token revoked'),
  member_invited: t('Member invited'),
  invitation_revoked: t('Invitation revoked'),
  invitation_accepted: t('Invitation accepted'),
  role_changed: t('Role changed'),
  status_changed: t('Status changed'),
  user_merged: t('Accounts merged'),
  user_erased: t('User erased'),
  identity_linked: t('Identity linked'),
  identity_removed: t('Identity removed'),
  key_rotated: t('Signing key rotated'),
  restored: t('Database restored'),
  operation: t('Operation'),
};

const isEvent = (word: string | null): word is AuditEvent => word !== null && Object.hasOwn(eventWords, word);

/** The label of an entry; an event of a newer server keeps its own name. */
export const eventWord = (event: string): string => wordIn(eventWords, event);

const dayMs = 86_400_000;

/** The beginning of a day (UTC), some days later. null unless it is a day of the calendar. */
function dayTime(text: string | null, later: number): string | null {
  if (text === null || !isCalendarDay(text)) return null;
  return new Date(Date.parse(text) + later * dayMs).toISOString();
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
