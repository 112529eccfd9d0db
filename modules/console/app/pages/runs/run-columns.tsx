import { PersonName } from '../../design/marks/avatar.tsx';
import type { Column } from '../../design/grid/grid.tsx';
import { RowLink } from '../../design/row-link.tsx';
import { Status, statuses, type TestStatus, wordOf } from '../../design/status.tsx';
import { widthOfTexts } from '../../design/grid/fitting-columns.ts';
import { Time } from '../../design/time.tsx';
import type { RunPerson } from './run-follow.ts';
import { TestPeople } from './run-people.tsx';
import type { RunTest } from './run-tests.ts';
import { t } from '../../texts/text.ts';

interface Shown {
  readonly statusOf: (testId: number) => TestStatus;
  /** The address of the run with this test selected. */
  readonly addressOf: (testId: number) => string;
  readonly nameOf: (userId: number) => string;
  /** The other people who have the run open. */
  readonly others: readonly RunPerson[];
}

/** The columns of the tests of a run. Where the table is narrow, those that help least leave first. */
export const runColumns = ({
  statusOf,
  addressOf,
  nameOf,
  others,
}: Shown): ReadonlyArray<Column<RunTest>> => [
  {
    key: 'id',
    title: t('ID'),
    width: '4rem',
    room: 64,
    drop: 4,
    isNumber: true,
    cell: ({ testId }) => testId,
  },
  {
    key: 'name',
    title: t('Name'),
    width: 'minmax(0, 3fr)',
    room: 260,
    cell: ({ testId, testName, isDeleted }) => (
      <>
        <RowLink to={addressOf(testId)}>{testName}</RowLink>{' '}
        {isDeleted && <span className="badge">{t('deleted')}</span>}
        <TestPeople others={others} testId={testId} />
      </>
    ),
  },
  {
    key: 'status',
    title: t('Status'),
    ...widthOfTexts([t('Status'), ...statuses.map(wordOf)]),
    cell: ({ testId }) => <Status of={statusOf(testId)} />,
  },
  {
    key: 'section',
    title: t('Section'),
    width: 'minmax(0, 2fr)',
    room: 160,
    drop: 1,
    cell: ({ sectionPath }) => <span title={sectionPath.join(' > ')}>{sectionPath.join(' > ')}</span>,
  },
  {
    key: 'priority',
    title: t('Priority'),
    width: '5.5rem',
    room: 88,
    drop: 3,
    cell: ({ priority }) => priority ?? '–',
  },
  {
    key: 'assignee',
    title: t('Assigned to'),
    width: '8rem',
    room: 128,
    drop: 5,
    cell: ({ assigneeId }) => (assigneeId ? <PersonName name={nameOf(assigneeId)} id={assigneeId} /> : '–'),
  },
  {
    key: 'at',
    title: t('Result'),
    width: '8.5rem',
    room: 136,
    drop: 2,
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
  },
];
