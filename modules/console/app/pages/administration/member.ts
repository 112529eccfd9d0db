import type { Output } from '../../api/calls.ts';

export interface Organization {
  readonly orgId: number;
  readonly orgName: string;
}

export type Member = Output<'list-members'>['members'][number];

/** What a person is called on a page. */
export const personName = ({ userId, name, email }: Pick<Member, 'userId' | 'name' | 'email'>): string =>
  name ?? email ?? `User ${userId}`;
