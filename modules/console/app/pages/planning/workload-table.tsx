import type { Input, Output } from '../../api/calls.ts';
import { useTool } from '../../api/queries.ts';
import { countText, numberText, shareText } from '../../design/amount.ts';
import { Answer } from '../../design/states.tsx';
import { Table } from '../../design/table.tsx';
import { minutesText } from './plan-draft.ts';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

type Person = Output<'get-workload'>['people'][number];

const nameOf = ({ userId, name }: Person): string =>
  userId === null ? t('Nobody') : (name ?? t('User {userId}', { userId }));

/** What a locked run was left with: nobody does it any more, and it is not done either. */
const leftOpenColumn = {
  title: t('Left open'),
  isNumber: true,
  cell: ({ leftOpen }: Person) => numberText(leftOpen),
};

/** Who has how much left. @param of a milestone, a plan or a run. */
export const WorkloadTable = ({ of }: { readonly of: Input<'get-workload'> }) => (
  <Answer of={useTool('get-workload', of, { keep: true })}>
    {({ people, todo, leftOpen, minutesLeft, forecastBy }) =>
      people.length === 0 ? (
        <p className="note">{t('No run has a test.')}</p>
      ) : (
        <div className="stack tight">
          <Table
            label={t('Workload')}
            rows={people}
            keyOf={({ userId }) => userId ?? 0}
            columns={[
              { title: t('Person'), cell: nameOf },
              { title: t('To do'), isNumber: true, cell: ({ todo: left }) => numberText(left) },
              { title: t('Done'), isNumber: true, cell: ({ done }) => numberText(done) },
              ...(leftOpen === 0 ? [] : [leftOpenColumn]),
              {
                title: t('Share done'),
                isNumber: true,
                cell: (one) => shareText(one.done, one.todo + one.done + one.leftOpen),
              },
              { title: t('Time left'), isNumber: true, cell: (person) => minutesText(person.minutesLeft) },
            ]}
          />
          <p className="note">
            {nodes('{tests} to do, {minutesLeft}{none}', {
              tests: countText(todo, 'test'),
              minutesLeft: minutesText(minutesLeft),
              none:
                forecastBy.none > 0 &&
                t('; of {tests} nothing is known', { tests: countText(forecastBy.none, 'test') }),
            })}
          </p>
        </div>
      )
    }
  </Answer>
);
