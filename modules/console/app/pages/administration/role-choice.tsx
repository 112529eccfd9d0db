import type { Input } from '../../api/calls.ts';
import { Choice } from '../../design/fields.tsx';
import { t } from '../../texts/text.ts';

export type Role = NonNullable<Input<'invite-user'>['role']>;

const roles: ReadonlyArray<{ readonly id: Role; readonly name: string }> = [
  { id: 'reader', name: t('Reader: sees everything, changes nothing') },
  { id: 'member', name: t('Member: works with tests, runs and CTAs') },
  { id: 'admin', name: t('Admin: also manages people and projects') },
];

interface RoleChoiceProps {
  readonly value: Role;
  readonly onChange: (role: Role) => void;
}

export const RoleChoice = ({ value, onChange }: RoleChoiceProps) => (
  <Choice
    label={t('Role')}
    options={roles}
    value={value}
    onChange={(id) => {
      const chosen = roles.find((role) => role.id === id);
      if (chosen) onChange(chosen.id);
    }}
  />
);
