import type { Output } from '../../api/calls.ts';
import type { Column } from '../../design/grid.tsx';
import { Status } from '../../design/status.tsx';
import { Time } from '../../design/time.tsx';

type Listed = Output<'get-tests'>['tests'][number];
/** A test of a list: `fields` was not given, so what identifies it is there. */
export type TestRow = Listed & Required<Pick<Listed, 'testId' | 'testName'>>;

const isRow = (test: Listed): test is TestRow => test.testId !== undefined && test.testName !== undefined;
export const testRowsOf = ({ tests }: Output<'get-tests'>): readonly TestRow[] => tests.filter(isRow);

const text = (value: string | null | undefined) => value ?? '–';

/** The columns that a table of tests can have, in their order. `name` always stands there. */
export const testColumns: ReadonlyArray<Column<TestRow>> = [
  {
    key: 'id',
    title: 'ID',
    width: '4.5rem',
    sort: 'id',
    cell: ({ testId }) => <span className="number">{testId}</span>,
  },
  {
    key: 'name',
    title: 'Name',
    width: 'minmax(14rem, 3fr)',
    sort: 'name',
    cell: ({ testName, deletedAt }) => (
      <>
        {testName} {typeof deletedAt === 'string' && <span className="badge">deleted</span>}
      </>
    ),
  },
  {
    key: 'last',
    title: 'Last result',
    width: '7.5rem',
    sort: 'last-run',
    cell: ({ lastStatus }) =>
      lastStatus === null || lastStatus === undefined ? (
        <span className="note">none</span>
      ) : (
        <Status of={lastStatus} />
      ),
  },
  {
    key: 'section',
    title: 'Section',
    width: 'minmax(8rem, 1.5fr)',
    cell: ({ sectionPath }) => text(sectionPath?.join(' > ')),
  },
  {
    key: 'priority',
    title: 'Priority',
    width: '6rem',
    sort: 'priority',
    cell: ({ priority }) => text(priority),
  },
  { key: 'type', title: 'Type', width: '7rem', cell: ({ type }) => text(type) },
  {
    key: 'automation',
    title: 'Automation',
    width: '7.5rem',
    cell: ({ automationStatus }) => text(automationStatus),
  },
  { key: 'platform', title: 'Platform', width: '6.5rem', cell: ({ platform }) => text(platform) },
  { key: 'squad', title: 'Squad', width: '7rem', cell: ({ squad }) => text(squad) },
  {
    key: 'labels',
    title: 'Labels',
    width: 'minmax(7rem, 1fr)',
    cell: ({ labels }) => labels?.map(({ labelName }) => labelName).join(', '),
  },
  {
    key: 'updated',
    title: 'Changed',
    width: '8rem',
    sort: 'updated',
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
  },
];

export const usualColumns = ['id', 'name', 'last', 'section', 'priority', 'labels'];
