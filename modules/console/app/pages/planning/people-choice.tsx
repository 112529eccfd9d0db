import { useState } from 'react';
import { useTesters, usePeople } from '../../api/people.ts';
import { numberText } from '../../design/amount.ts';
import { Check, Field } from '../../design/fields.tsx';
import { t } from '../../texts/text.ts';

/** People that are offered without a search. */
const mostShown = 12;

interface PeopleChoiceProps {
  readonly projectId: number;
  readonly label: string;
  /** Who is not offered. */
  readonly without?: number | undefined;
  readonly chosen: readonly number[];
  readonly onChange: (chosen: readonly number[]) => void;
}

/** Some of the members, by one click each. */
export function PeopleChoice({ projectId, label, without, chosen, onChange }: PeopleChoiceProps) {
  const members = useTesters(projectId).filter(({ userId }) => userId !== without);
  const { nameOf } = usePeople();
  const [search, setSearch] = useState('');
  const found = members.filter(({ userId }) =>
    nameOf(userId).toLowerCase().includes(search.trim().toLowerCase()),
  );
  const shown = found.filter(({ userId }, at) => at < mostShown || chosen.includes(userId));
  return (
    <div className="stack tight" role="group" aria-label={label}>
      {members.length > mostShown && <Field label={t('Find a person')} value={search} onChange={setSearch} />}
      <div className="row">
        {shown.map(({ userId }) => (
          <Check
            key={userId}
            isSelected={chosen.includes(userId)}
            onChange={(isChosen) =>
              onChange(isChosen ? [...chosen, userId] : chosen.filter((id) => id !== userId))
            }
          >
            {nameOf(userId)}
          </Check>
        ))}
      </div>
      {found.length > shown.length && (
        <span className="note">
          {t('and {found} more', { found: numberText(found.length - shown.length) })}
        </span>
      )}
    </div>
  );
}
