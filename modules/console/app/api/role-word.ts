import { t, wordIn } from '../texts/text.ts';

const roleWords: Readonly<Record<string, string>> = {
  reader: t('reader'),
  member: t('member'),
  admin: t('admin'),
  none: t('none'),
};

const causeWords: Readonly<Record<string, string>> = {
  ...roleWords,
  active: t('active'),
  disabled: t('disabled'),
};

/** A role as a person reads it; what is no role stays as it is. */
export const roleWord = (role: string): string => wordIn(roleWords, role);

/** What an entry of the audit log says beside its event: a role, the status of a person, or a stable word of the server. */
export const causeWord = (cause: string): string => wordIn(causeWords, cause);
