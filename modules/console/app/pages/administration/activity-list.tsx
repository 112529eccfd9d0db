import type { Output } from '../../api/calls.ts';
import {
  changeText,
  operationText,
  surfaceWord,
  toldChanges,
  valueText,
  viaText,
} from '../../api/operation-words.ts';
import { titleOfField } from '../../api/parameter-words.ts';
import { usePeople } from '../../api/people.ts';
import { useTool } from '../../api/queries.ts';
import { countText } from '../../design/amount.ts';
import { Button } from '../../design/button.tsx';
import { Facts } from '../../design/facts.tsx';
import { Listing } from '../../design/listing.tsx';
import { Empty } from '../../design/states.tsx';
import { Time, timeText } from '../../design/time.tsx';
import { useMay } from '../../frame/organizations.ts';
import { usePaging } from '../../frame/paging.ts';
import { useAddress } from '../../frame/router.tsx';
import { isUndoable, useUndo } from '../versions/test-undo.ts';
import { auditFilter } from './audit-filter.ts';
import { noun, t } from '../../texts/text.ts';

type Activity = Output<'list-activity'>['activities'][number];

/** The writes in a project that the address chooses, with what changed. */
export function ActivityList({ projectId }: { readonly projectId: number }) {
  const [state] = useAddress();
  const { page, pager } = usePaging();
  const { nameOf } = usePeople();
  const { userId, since } = auditFilter(state);
  const activity = useTool(
    'list-activity',
    {
      projectId,
      ...(userId !== undefined && { userId }),
      // A query has days, not milliseconds.
      ...(since !== undefined && { since: since.slice(0, 10) }),
      ...page,
    },
    { keep: true },
  );
  return (
    <Listing
      of={activity}
      label={t('Activity')}
      rowsOf={({ activities }) => activities}
      keyOf={({ activityId }) => activityId}
      columns={[
        { title: t('Time'), cell: ({ at }) => <Time at={at} /> },
        {
          title: t('Person'),
          cell: ({ userId: id, client }) => `${id === null ? t('Somebody') : nameOf(id)}${viaText(client)}`,
        },
        { title: t('What'), cell: ({ operation }) => operationText(operation) },
        {
          title: t('Changed'),
          cell: ({ changes, count }) =>
            count !== null && count > 1
              ? countText(count, 'record')
              : toldChanges(changes)
                  .map(({ field }) => titleOfField(field))
                  .join(', ') || '–',
        },
        {
          title: t('Through'),
          cell: ({ surface }) =>
            surface === null ? '–' : <span className="badge">{surfaceWord(surface)}</span>,
        },
      ]}
      detail={{
        label: ({ activityId, operation }) =>
          t('Details: {operation}, {activityId}', { operation: operationText(operation), activityId }),
        content: (one) => <ActivityFacts projectId={projectId} activity={one} />,
      }}
      names={noun('change')}
      pager={pager}
      empty={
        <Empty title={t('No activity')}>
          <p>{t('Every change in the project would be listed here, with who made it.')}</p>
        </Empty>
      }
    />
  );
}

interface ActivityFactsProps {
  readonly projectId: number;
  readonly activity: Activity;
}

const ActivityFacts = ({ projectId, activity }: ActivityFactsProps) => (
  <div className="stack">
    {toldChanges(activity.changes).length > 0 && (
      <ul>
        {toldChanges(activity.changes).map((change, index) => (
          <li key={index} className="wrap">
            {changeText(change)}
          </li>
        ))}
      </ul>
    )}
    <Facts
      of={[
        { name: t('time'), value: `${timeText(activity.at)} (${activity.at})` },
        { name: t('ids'), value: <span className="mono">{valueText(activity.ids)}</span> },
        {
          name: t('credential'),
          value:
            activity.tokenId === null ? (activity.via ?? '–') : t('token {id}', { id: activity.tokenId }),
        },
      ]}
    />
    {isUndoable(activity.operation) && <TakeBack projectId={projectId} activityId={activity.activityId} />}
  </div>
);

/** Takes back a write of anybody: a deleted section comes back with its tests only so. */
function TakeBack({ projectId, activityId }: { readonly projectId: number; readonly activityId: number }) {
  const project = useTool('get-project-detail', { projectId });
  const mayWrite = useMay('member', project.data?.orgId);
  const { undo } = useUndo(projectId);
  if (project.data?.isActive !== true || !mayWrite) return null;
  return (
    <div className="row screen-only">
      <Button small onPress={() => void undo(activityId)}>
        {t('Take it back')}
      </Button>
    </div>
  );
}
