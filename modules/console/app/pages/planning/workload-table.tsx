import type { Input, Output } from '../../api/calls.ts';
import { useTool } from '../../api/queries.ts';
import { countText, numberText, shareText } from '../../design/amount.ts';
import { Answer } from '../../design/states.tsx';
import { Table } from '../../design/table.tsx';
import { minutesText } from './plan-draft.ts';

type Person = Output<'get-workload'>['people'][number];

const nameOf = ({ userId, name }: Person): string =>
  userId === null ? 'Nobody' : (name ?? `User ${userId}`);

/** Who has how much left. @param of a milestone, a plan or a run. */
export const WorkloadTable = ({ of }: { readonly of: Input<'get-workload'> }) => (
  <Answer of={useTool('get-workload', of, { keep: true })}>
    {({ people, todo, minutesLeft, forecastBy }) =>
      people.length === 0 ? (
        <p className="note">No run has a test.</p>
      ) : (
        <div className="stack tight">
          <Table
            label="Workload"
            rows={people}
            keyOf={({ userId }) => userId ?? 0}
            columns={[
              { title: 'Person', cell: nameOf },
              { title: 'To do', isNumber: true, cell: ({ todo: left }) => numberText(left) },
              { title: 'Done', isNumber: true, cell: ({ done }) => numberText(done) },
              {
                title: 'Share done',
                isNumber: true,
                cell: ({ todo: left, done }) => shareText(done, left + done),
              },
              { title: 'Time left', isNumber: true, cell: (person) => minutesText(person.minutesLeft) },
            ]}
          />
          <p className="note">
            {countText(todo, 'test')} to do, {minutesText(minutesLeft)}
            {forecastBy.none > 0 && `; of ${countText(forecastBy.none, 'test')} nothing is known`}
          </p>
        </div>
      )
    }
  </Answer>
);
