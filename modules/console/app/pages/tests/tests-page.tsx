import { useEffect, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useMetadata } from '../../api/metadata.ts';
import { usePages } from '../../api/pages.ts';
import { messageOf, useTool } from '../../api/queries.ts';
import { Refusal } from '../../api/call.ts';
import { countText } from '../../design/amount.ts';
import { Button } from '../../design/button.tsx';
import { Grid } from '../../design/grid.tsx';
import { ActionMenu } from '../../design/menu.tsx';
import { Empty, Failure, Loading } from '../../design/states.tsx';
import { QueryBox } from '../../query/query-box.tsx';
import { nextSort, sortedBy, wholeQuery } from '../../query/query-text.ts';
import { queryValues } from '../../query/query-values.ts';
import { useKeys } from '../../frame/keys.ts';
import { hasDraft } from '../../api/unsaved.ts';
import { useMay } from '../../frame/organizations.ts';
import { useAddress, useTitle } from '../../frame/router.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { ColumnDialog } from './column-dialog.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { QuickCreate } from './quick-create.tsx';
import { RunFromTests } from './run-from-tests.tsx';
import { SectionPanel } from './section-panel.tsx';
import { SelectBox } from './select-box.tsx';
import { placeOfTest } from './test-place.ts';
import { shownColumns, testRowsOf, usualColumns, type TestRow } from './test-columns.tsx';
import { exportTests } from './test-export.ts';
import { draftOfTest } from './test-form.tsx';
import { TestPanel } from './test-panel.tsx';
import { selectionOf, selectionText, toggled } from './test-selection.ts';
import './tests.css';

interface TestsPageProps {
  readonly projectId: number;
  /** The test in the panel; null: none. */
  readonly testId: number | null;
}

/** The tests of a project: sections, a table of any length, and one test beside it. */
export default function TestsPage({ projectId, testId }: TestsPageProps) {
  const [address, change] = useAddress();
  const [, navigate] = useLocation();
  const project = useTool('get-project-detail', { projectId });
  const mayWrite = useMay('member', project.data?.orgId) && project.data?.isActive !== false;
  const metadata = useMetadata(projectId);
  const [dialog, setDialog] = useState<'columns' | 'import' | 'run' | null>(null);
  const [current, setCurrent] = useState(-1);

  const query = address.get('query') ?? '';
  const section = Number(address.get('section')) || null;
  const sort = address.get('sort');
  const shown = (address.get('columns') ?? usualColumns.join(',')).split(',');
  const selected = useMemo(() => selectionOf(address.get('selected')), [address]);
  const whole = wholeQuery({ query, section, sort });
  const pages = usePages(
    'get-tests',
    { projectId, ...(whole === undefined ? {} : { query: whole }) },
    testRowsOf,
  );
  const { total, rowAt, onRange } = pages;
  // A button beside the box means what stands in it, also before it was applied.
  const typed = useRef(query);
  useEffect(() => void (typed.current = query), [query]);
  const applied = () => {
    if (typed.current !== query) change({ query: typed.current, selected: null }, { push: true });
    return wholeQuery({ query: typed.current, section, sort });
  };

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

  useTitle(`Tests${project.data ? ` – ${project.data.projectName}` : ''}`);
  const addressOf = (id: number | null) => {
    const search = address.toString();
    return `/projects/${projectId}/tests${id === null ? '' : `/${id}`}${search === '' ? '' : `?${search}`}`;
  };
  const open = (id: number | null) => navigate(addressOf(id));
  const openAt = (index: number) => {
    const row = rowAt(index);
    if (row) open(row.testId);
  };
  const toggle = (id: number) => change({ selected: selectionText(toggled(selected, id)) });
  const go = (to: number) => {
    if (total !== undefined && to >= 0 && to < total) setCurrent(to);
  };
  useKeys({
    j: () => go(current + 1),
    k: () => go(current - 1),
    c: () => document.getElementById('new-test')?.focus(),
    // A form that is open may hold what is stored nowhere.
    Escape: () => testId !== null && !hasDraft(draftOfTest(testId)) && open(null),
  });

  const columns = [
    {
      key: 'select',
      title: 'Select',
      hideTitle: true,
      width: '2.75rem',
      room: 44,
      cell: (row: TestRow) => (
        <SelectBox
          label={`Select ${row.testName}`}
          isSelected={selected.includes(row.testId)}
          onToggle={() => toggle(row.testId)}
        />
      ),
    },
    ...shownColumns(shown, addressOf),
  ];
  const { error } = pages;
  const isWrongQuery = error instanceof Refusal && error.status === 400 && query !== '';

  return (
    <div className={testId === null ? 'tests' : 'tests with-panel'}>
      <SectionPanel
        projectId={projectId}
        chosen={section}
        onChoose={(id) => change({ section: id === null ? null : String(id), selected: null })}
        mayWrite={mayWrite}
      />
      <div className="tests-list">
        <div className="between">
          <h1>Tests</h1>
          <div className="row">
            <span className="note" role="status">
              {total === undefined ? '' : countText(total, 'test')}
            </span>
            {mayWrite && (
              <Button
                onPress={() => {
                  // Tests that were ticked are meant as they are.
                  if (selected.length === 0) applied();
                  setDialog('run');
                }}
              >
                Create run
              </Button>
            )}
            <ActionMenu
              label="Actions for tests"
              text="More"
              actions={[
                { id: 'columns', name: 'Columns…', onAction: () => setDialog('columns') },
                ...(mayWrite ? [{ id: 'import', name: 'Import…', onAction: () => setDialog('import') }] : []),
                {
                  id: 'csv',
                  name: 'Export as CSV',
                  onAction: () => void exportTests(projectId, 'csv', applied()),
                },
                {
                  id: 'json',
                  name: 'Export as JSON',
                  onAction: () => void exportTests(projectId, 'json', applied()),
                },
              ]}
            />
          </div>
        </div>
        <QueryBox
          tool="get-tests"
          label="Search tests"
          value={query}
          onApply={(text) => {
            setCurrent(-1);
            change({ query: text, selected: null }, { push: true });
          }}
          onType={(text) => (typed.current = text)}
          values={queryValues(metadata)}
          error={isWrongQuery ? messageOf(error) : undefined}
        />
        {mayWrite && <QuickCreate projectId={projectId} sectionId={section} />}
        {mayWrite && selected.length > 0 && (
          <BulkBar
            projectId={projectId}
            ids={selected}
            metadata={metadata}
            onClear={() => change({ selected: null })}
            query={whole}
            total={total ?? 0}
          />
        )}
        {total === undefined && error && !isWrongQuery ? (
          <Failure error={error} onRetry={pages.refetch} />
        ) : total === undefined && !isWrongQuery ? (
          <Loading lines={8} />
        ) : total === 0 || isWrongQuery ? (
          <Empty title={query === '' && section === null ? 'No test yet' : 'No test is found'}>
            <p>
              {query === '' && section === null
                ? 'Type a name above and press Enter, or import a file.'
                : 'Change the query or choose another section.'}
            </p>
          </Empty>
        ) : (
          <Grid
            label="Tests"
            columns={columns}
            keepsColumns={address.has('columns')}
            total={total ?? 0}
            rowAt={rowAt}
            idOf={({ testId: id }) => id}
            onRange={onRange}
            current={current}
            onCurrent={setCurrent}
            onOpen={openAt}
            onToggle={(index) => {
              const row = rowAt(index);
              if (row) toggle(row.testId);
            }}
            sorted={sortedBy(sort)}
            onSort={(by) => change({ sort: nextSort(sort, by) })}
            height="100%"
          />
        )}
      </div>
      {testId !== null && (
        <TestPanel
          key={testId}
          projectId={projectId}
          testId={testId}
          metadata={metadata}
          mayWrite={mayWrite}
          onClose={() => open(null)}
        />
      )}
      <ColumnDialog
        isOpen={dialog === 'columns'}
        onClose={() => setDialog(null)}
        shown={shown}
        onChange={(keys) =>
          change({ columns: keys.join(',') === usualColumns.join(',') ? null : keys.join(',') })
        }
      />
      <ImportDialog projectId={projectId} isOpen={dialog === 'import'} onClose={() => setDialog(null)} />
      {dialog === 'run' && (
        <RunFromTests
          projectId={projectId}
          query={whole ?? ''}
          selected={selected}
          onClose={() => setDialog(null)}
        />
      )}
    </div>
  );
}
