import { useState } from 'react';
import { changeText, operationText, surfaceWord, toldChanges, viaText } from '../../api/operation-words.ts';
import { usePeople } from '../../api/people.ts';
import { useTool } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { Answer } from '../../design/states.tsx';
import { Time } from '../../design/time.tsx';
import { t } from '../../texts/text.ts';

/** Who changed what of a test, the newest first. */
export function TestActivity({ projectId, testId }: { readonly projectId: number; readonly testId: number }) {
  const [limit, setLimit] = useState(20);
  const activity = useTool('list-activity', { projectId, testId, limit }, { keep: true });
  const { nameOf } = usePeople();
  return (
    <Answer of={activity}>
      {({ activities, nextOffset }) => (
        <ol className="entries">
          {activities.map(({ activityId, at, userId, operation, surface, client, changes }) => (
            <li key={activityId}>
              <p>
                <strong>{userId === null ? t('Somebody') : nameOf(userId)}</strong>
                {viaText(client)} {operationText(operation)}{' '}
                {surface !== null && <span className="badge">{surfaceWord(surface)}</span>} <Time at={at} />
              </p>
              {toldChanges(changes).map((change, index) => (
                <p key={index} className="note wrap">
                  {changeText(change)}
                </p>
              ))}
            </li>
          ))}
          {activities.length === 0 && <li>{t('Nothing was changed yet.')}</li>}
          {nextOffset !== undefined && limit < 500 && (
            <Button onPress={() => setLimit(Math.min(500, limit + 50))}>{t('Show more')}</Button>
          )}
        </ol>
      )}
    </Answer>
  );
}
