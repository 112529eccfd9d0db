import type { Input } from '../../api/calls.ts';
import { Choice } from '../../design/fields.tsx';

export type Role = NonNullable<Input<'invite-user'>['role']>;

const roles: ReadonlyArray<{ readonly id: Role; readonly name: string }> = [
  { id: 'reader', name: 'Reader: sees everything, changes nothing' },
  { id: 'member', name: 'Member: works with tests, runs and CTAs' },
  { id: 'admin', name: 'Admin: also manages people and projects' },
];

interface RoleChoiceProps {
  readonly value: Role;
  readonly onChange: (role: Role) => void;
}

export const RoleChoice = ({ value, onChange }: RoleChoiceProps) => (
  <Choice
    label="Role"
    options={roles}
    value={value}
    onChange={(id) => {
      const chosen = roles.find((role) => role.id === id);
      if (chosen) onChange(chosen.id);
    }}
  />
);
