import { usePeople } from '../../api/people.ts';
import { countText } from '../../design/amount.ts';
import type { RunPerson } from './run-follow.ts';
import { locale, t } from '../../texts/text.ts';

const listed = new Intl.ListFormat(locale(), { type: 'conjunction' });

interface RunPeopleProps {
  /** The other people who have the run open. */
  readonly others: readonly RunPerson[];
}

/** Who else has the run open. */
export function RunPeople({ others }: RunPeopleProps) {
  const ids = [...new Set(others.map(({ userId }) => userId))];
  const { nameOf } = usePeople(ids);
  if (ids.length === 0) return null;
  return (
    <span
      className="badge"
      title={t('{ids} also have this run open', { ids: listed.format(ids.map((id) => nameOf(id))) })}
    >
      {ids.length === 1
        ? t('{ids} is here', { ids: nameOf(ids[0] ?? 0) })
        : t('{others} are here', { others: countText(ids.length, 'other') })}
    </span>
  );
}

/** Who else is on this test: so that two people do not do the same work. */
export function TestPeople({ others, testId }: RunPeopleProps & { readonly testId: number }) {
  const ids = [...new Set(others.flatMap((one) => (one.testId === testId ? [one.userId] : [])))];
  const { nameOf } = usePeople(ids);
  if (ids.length === 0) return null;
  const names = listed.format(ids.map((id) => nameOf(id)));
  return (
    <span className="badge" title={t('Selected by {names}', { names })}>
      {names}
    </span>
  );
}
