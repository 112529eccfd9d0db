import type { Output } from '../../api/calls.ts';
import { usePeople } from '../../api/people.ts';
import type { Column } from '../../design/grid/grid.tsx';
import { RowLink } from '../../design/row-link.tsx';
import { Status, statuses, wordOf } from '../../design/status.tsx';
import { widthOfTexts } from '../../design/grid/fitting-columns.ts';
import { Time } from '../../design/time.tsx';
import { ownFieldColumns } from '../fields/field-columns.tsx';
import { useProjectFields } from '../fields/field-inputs.tsx';
import { t } from '../../texts/text.ts';

type Listed = Output<'get-tests'>['tests'][number];
/** A test of a list: `fields` was not given, so what identifies it is there. */
export type TestRow = Listed & Required<Pick<Listed, 'testId' | 'testName'>>;

const isRow = (test: Listed): test is TestRow => test.testId !== undefined && test.testName !== undefined;
export const testRowsOf = ({ tests }: Output<'get-tests'>): readonly TestRow[] => tests.filter(isRow);

const text = (value: string | null | undefined) => value ?? '–';

const cut = (value: string | undefined) => <span title={value}>{value}</span>;

/** The columns that a table of tests can have, in their order. `name` always stands there. */
const testColumns: ReadonlyArray<Column<TestRow>> = [
  {
    key: 'id',
    title: t('ID'),
    width: '4.5rem',
    room: 72,
    drop: 5,
    isNumber: true,
    sort: 'id',
    cell: ({ testId }) => testId,
  },
  {
    key: 'name',
    title: t('Name'),
    width: 'minmax(12rem, 3fr)',
    // The last result stays beside an open test in a window of 1280 pixels, also in German.
    room: 248,
    sort: 'name',
    cell: ({ testName }) => testName,
  },
  {
    key: 'last',
    title: t('Last result'),
    ...widthOfTexts([t('Last result'), ...statuses.map(wordOf)]),
    drop: 1,
    sort: 'last-run',
    cell: ({ lastStatus }) =>
      lastStatus === null || lastStatus === undefined ? (
        <span className="note">{t('none')}</span>
      ) : (
        <Status of={lastStatus} />
      ),
  },
  {
    key: 'section',
    title: t('Section'),
    width: 'minmax(8rem, 1.5fr)',
    room: 150,
    drop: 2,
    cell: ({ sectionPath }) => cut(sectionPath?.join(' > ')),
  },
  {
    key: 'priority',
    title: t('Priority'),
    width: '6rem',
    room: 96,
    drop: 3,
    sort: 'priority',
    cell: ({ priority }) => text(priority),
  },
  { key: 'type', title: t('Type'), width: '7rem', room: 112, cell: ({ type }) => text(type) },
  {
    key: 'automation',
    title: t('Automation'),
    width: '7.5rem',
    room: 120,
    cell: ({ automationStatus }) => text(automationStatus),
  },
  {
    key: 'platform',
    title: t('Platform'),
    width: '6.5rem',
    room: 104,
    cell: ({ platform }) => text(platform),
  },
  { key: 'squad', title: t('Squad'), width: '7rem', room: 112, cell: ({ squad }) => text(squad) },
  {
    key: 'labels',
    title: t('Labels'),
    width: 'minmax(7rem, 1fr)',
    room: 120,
    drop: 4,
    cell: ({ labels }) => cut(labels?.map(({ labelName }) => labelName).join(', ')),
  },
  {
    key: 'updated',
    title: t('Changed'),
    width: '8.5rem',
    room: 136,
    sort: 'updated',
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
  },
];

/** The columns of the tests of a project: those of all tests, and its own fields. */
export function useTestColumns(projectId: number): ReadonlyArray<Column<TestRow>> {
  const fields = useProjectFields(projectId, 'test');
  const { nameOf } = usePeople();
  return [...testColumns, ...ownFieldColumns(fields, nameOf)];
}

/** The columns that are shown; the name of a test is a link to it. */
export const shownColumns = (
  columns: ReadonlyArray<Column<TestRow>>,
  keys: readonly string[],
  addressOf: (testId: number) => string,
): ReadonlyArray<Column<TestRow>> =>
  columns.flatMap((column) =>
    column.key === 'name'
      ? {
          ...column,
          cell: ({ testId, testName, deletedAt }) => (
            <>
              <RowLink to={addressOf(testId)}>{testName}</RowLink>{' '}
              {typeof deletedAt === 'string' && <span className="badge">{t('deleted')}</span>}
            </>
          ),
        }
      : keys.includes(column.key)
        ? column
        : [],
  );

export const usualColumns = ['id', 'name', 'last', 'section', 'priority', 'labels'];
