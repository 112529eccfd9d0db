import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { Refusal } from '../../api/call.ts';
import { usePages } from '../../api/pages.ts';
import { hasDraft } from '../../api/unsaved.ts';
import { Grid, type Column } from '../../design/grid/grid.tsx';
import { mostPrintedRows } from '../../design/grid/printing.ts';
import { Empty, Failure, Loading } from '../../design/states.tsx';
import { useKeys, usePrintKey } from '../../frame/keys.ts';
import { useAddress } from '../../frame/router.tsx';
import { nextSort, sortedBy } from '../../query/query-text.ts';
import { shownColumns, testRowsOf, type TestRow } from './test-columns.tsx';
import { draftOfTest } from './test-form.tsx';
import { placeOfTest } from './test-place.ts';
import { draggedTests } from './test-drag.ts';
import { selectionOf, selectionText, toggled, toggledRange } from './test-selection.ts';
import { t } from '../../texts/text.ts';

interface Shown {
  readonly projectId: number;
  /** The test in the panel; null: none. */
  readonly testId: number | null;
  /** What the address asks for as a query; undefined: all tests. */
  readonly whole: string | undefined;
}

/** The tests of a project as a list of any length, with one of them open and some ticked. */
export function useTestList({ projectId, testId, whole }: Shown) {
  const [address, change] = useAddress();
  const [, navigate] = useLocation();
  const [current, setCurrent] = useState(-1);
  /** The test that was ticked last, and where it stood. */
  const anchor = useRef({ index: -1, id: -1 });
  const pages = usePages(
    'get-tests',
    { projectId, ...(whole === undefined ? {} : { query: whole }) },
    testRowsOf,
  );
  const { total, rowAt, error } = pages;
  // A test that was opened by its address: the list stands where it is.
  const isRead = total !== undefined;
  useEffect(() => {
    if (testId === null || !isRead || rowAt(current)?.testId === testId) return undefined;
    const over = new AbortController();
    placeOfTest({ projectId, query: whole, testId }, over.signal).then(
      (index) => index !== null && setCurrent(index),
      // The panel says what is wrong with the test.
      () => undefined,
    );
    return () => over.abort();
    // Not when the current row moves: the person moved it.
  }, [projectId, testId, whole, isRead]);

  usePrintKey(() => pages.readRows(mostPrintedRows));
  const addressOf = (id: number | null) => {
    const search = address.toString();
    return `/projects/${projectId}/tests${id === null ? '' : `/${id}`}${search === '' ? '' : `?${search}`}`;
  };
  const open = (id: number | null) => navigate(addressOf(id));
  const go = (to: number) => {
    if (total !== undefined && to >= 0 && to < total) setCurrent(to);
  };
  useKeys({
    j: () => go(current + 1),
    k: () => go(current - 1),
    c: () => document.getElementById('new-test')?.focus(),
    // An open form may contain unsaved input.
    Escape: () => testId !== null && !hasDraft(draftOfTest(testId)) && open(null),
  });
  const selected = selectionOf(address.get('selected'));
  return {
    ...pages,
    current,
    setCurrent,
    addressOf,
    open,
    selected,
    toggle: (id: number) => change({ selected: selectionText(toggled(selected, id)) }),
    /** With Shift: from the one that was ticked last to this one, as far as they are loaded. */
    toggleAt: (index: number, isRange: boolean) => {
      const id = rowAt(index)?.testId;
      if (id === undefined) return;
      // Another query or order has another test there.
      const isThere = rowAt(anchor.current.index)?.testId === anchor.current.id;
      const from = isRange && isThere ? anchor.current.index : index;
      anchor.current = { index, id };
      const between = Array.from(
        { length: Math.abs(index - from) + 1 },
        (_, at) => Math.min(index, from) + at,
      );
      const ids = between.flatMap((at) => rowAt(at)?.testId ?? []);
      const next = isRange ? toggledRange(selected, ids) : toggled(selected, id);
      change({ selected: selectionText(next) });
    },
    isWrongQuery: error instanceof Refusal && error.status === 400 && address.has('query'),
  };
}

type TestListState = ReturnType<typeof useTestList>;

interface TestListProps {
  readonly list: TestListState;
  readonly columns: ReadonlyArray<Column<TestRow>>;
  /** The keys of the columns that are shown. */
  readonly shown: readonly string[];
  /** Rows can be dragged onto a section. */
  readonly mayWrite: boolean;
}

/** The tests that are found, as a table. */
export function TestList({ list, columns, shown, mayWrite }: TestListProps) {
  const [address, change] = useAddress();
  const { total, error, isWrongQuery, rowAt } = list;
  const sort = address.get('sort');
  // The search box says what is wrong: nothing was searched for.
  if (isWrongQuery) return null;
  if (total === undefined && error) return <Failure error={error} onRetry={list.refetch} />;
  if (total === undefined) return <Loading lines={8} />;
  if (total === 0) {
    const isAll = !address.has('query') && !address.has('section');
    return (
      <Empty title={isAll ? t('No test yet') : t('No test is found')}>
        <p>
          {isAll
            ? t('Type a name above and press Enter, or import a file.')
            : t('Change the query or choose another section.')}
        </p>
      </Empty>
    );
  }
  const withRow = (act: (testId: number) => void) => (index: number) => {
    const row = rowAt(index);
    if (row) act(row.testId);
  };
  return (
    <Grid
      label={t('Tests')}
      table="tests"
      columns={[selectColumn(list), ...shownColumns(columns, shown, list.addressOf)]}
      keepsColumns={address.has('columns')}
      total={total}
      rowAt={rowAt}
      idOf={({ testId }) => testId}
      onRange={list.onRange}
      current={list.current}
      onCurrent={list.setCurrent}
      onOpen={withRow(list.open)}
      onToggle={withRow(list.toggle)}
      sorted={sortedBy(sort)}
      onSort={(by) => change({ sort: nextSort(sort, by) })}
      {...(mayWrite && { dragOf: ({ testId }: TestRow) => draggedTests(testId, list.selected) })}
      height="100%"
    />
  );
}

const selectColumn = ({ selected, toggleAt }: TestListState): Column<TestRow> => ({
  key: 'select',
  title: t('Select'),
  hideTitle: true,
  width: '2.75rem',
  room: 44,
  isScreenOnly: true,
  cell: ({ testId, testName }, index) => (
    <SelectBox
      label={t('Select {testName}', { testName })}
      isSelected={selected.includes(testId)}
      onToggle={(isRange) => toggleAt(index, isRange)}
    />
  ),
});

interface SelectBoxProps {
  readonly label: string;
  readonly isSelected: boolean;
  /** @param isRange Shift was held. */
  readonly onToggle: (isRange: boolean) => void;
}

/** The box at the beginning of a row; Space does the same. It is a plain check box, because a table of thousands creates many of them. */
const SelectBox = ({ label, isSelected, onToggle }: SelectBoxProps) => (
  <label className="select-box" onClick={(event) => event.stopPropagation()}>
    <input
      type="checkbox"
      tabIndex={-1}
      aria-label={label}
      checked={isSelected}
      onChange={({ nativeEvent }) => onToggle(nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
    />
  </label>
);
