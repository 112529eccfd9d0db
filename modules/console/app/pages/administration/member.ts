import type { Output } from '../../api/calls.ts';
import { t } from '../../texts/text.ts';

export interface Organization {
  readonly orgId: number;
  readonly orgName: string;
}

export type Member = Output<'list-members'>['members'][number];

/** The display name of a person. */
export const personName = ({ userId, name, email }: Pick<Member, 'userId' | 'name' | 'email'>): string =>
  name ?? email ?? t('User {userId}', { userId });
