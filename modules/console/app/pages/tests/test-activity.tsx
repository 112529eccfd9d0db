import { useState } from 'react';
import { operationText } from '../../api/operation-words.ts';
import { useTool } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { Answer } from '../../design/states.tsx';
import { Time } from '../../design/time.tsx';

const valueText = (value: unknown): string =>
  value === null || value === undefined || value === ''
    ? 'nothing'
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);

/** Who changed what of a test, the newest first. */
export function TestActivity({ projectId, testId }: { readonly projectId: number; readonly testId: number }) {
  const [limit, setLimit] = useState(20);
  const activity = useTool('list-activity', { projectId, testId, limit }, { keep: true });
  const people = useTool('get-all-users', { limit: 500 });
  const nameOf = (userId: number | null) => {
    const user = people.data?.users.find((one) => one.userId === userId);
    return user?.name ?? user?.email ?? (userId === null ? 'Somebody' : `User ${userId}`);
  };
  return (
    <Answer of={activity}>
      {({ activities, nextOffset }) => (
        <ol className="steps">
          {activities.map(({ activityId, at, userId, operation, surface, changes }) => (
            <li key={activityId}>
              <p>
                <strong>{nameOf(userId)}</strong> {operationText(operation)}{' '}
                {surface !== null && <span className="badge">{surface}</span>} <Time at={at} />
              </p>
              {changes.map(({ field, from, to, count }, index) => (
                <p key={index} className="note wrap">
                  {count === undefined
                    ? `${field}: ${valueText(from)} → ${valueText(to)}`
                    : `${field}: ${count} changed`}
                </p>
              ))}
            </li>
          ))}
          {activities.length === 0 && <li>Nothing was changed yet.</li>}
          {nextOffset !== undefined && limit < 500 && (
            <Button onPress={() => setLimit(Math.min(500, limit + 50))}>Show more</Button>
          )}
        </ol>
      )}
    </Answer>
  );
}
