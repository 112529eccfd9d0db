import { download } from '../../api/call.ts';
import { sayError } from '../../design/toast.tsx';
import { useEffect, useRef, useState } from 'react';
import { useMetadata } from '../../api/metadata.ts';
import { messageOf, useTool } from '../../api/queries.ts';
import { countText } from '../../design/amount.ts';
import { Button } from '../../design/button.tsx';
import { ActionMenu } from '../../design/menu.tsx';
import { PaneDivider, usePanelWidth } from '../../design/pane-divider.tsx';
import { useMay } from '../../frame/organizations.ts';
import { useTitle } from '../../design/window-title.ts';
import { useAddress } from '../../frame/router.tsx';
import { QueryBox } from '../../query/query-box.tsx';
import { SavedViews } from '../../query/saved-views.tsx';
import { QueryChips } from '../../query/query-chips.tsx';
import { testChips } from '../../query/usual-chips.ts';
import { asksForDeleted, wholeQuery } from '../../query/query-text.ts';
import { useQueryHints } from '../fields/query-hints.ts';
import { SelectionBar } from './bulk-bar.tsx';
import { selectionText } from './test-selection.ts';
import { ColumnDialog } from './column-dialog.tsx';
import { ImportDialog } from './importing/import-dialog.tsx';
import { QuickCreate } from './quick-create.tsx';
import { RunFromTests } from './run-from-tests.tsx';
import { SectionGone, useSectionGone } from './section-gone.tsx';
import { SectionPanel } from './section-panel.tsx';
import { usualColumns, useTestColumns } from './test-columns.tsx';
import { TestList, useTestList } from './test-list.tsx';
import { TestPanel } from './test-panel.tsx';
import { useUndo, useUndoKey } from '../versions/test-undo.ts';
import { useFocusAfterPanel } from '../../design/announcer.tsx';
import './tests.css';
import { t } from '../../texts/text.ts';

interface TestsPageProps {
  readonly projectId: number;
  /** The test in the panel; null: none. */
  readonly testId: number | null;
}

type Dialog = 'columns' | 'import' | 'run';

/** The tests of a project: sections, a table of any length, and one test beside it. */
export default function TestsPage({ projectId, testId }: TestsPageProps) {
  const [address, change] = useAddress();
  const project = useTool('get-project-detail', { projectId });
  const mayWrite = useMay('member', project.data?.orgId) && project.data?.isActive !== false;
  const metadata = useMetadata(projectId);
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const query = address.get('query') ?? '';
  const section = Number(address.get('section')) || null;
  const isGone = useSectionGone(projectId, section);
  const sort = address.get('sort');
  const shown = (address.get('columns') ?? usualColumns.join(',')).split(',');
  const columns = useTestColumns(projectId);
  const { names, ownChips } = useQueryHints(projectId);
  const whole = wholeQuery({ query, section, sort });
  const list = useTestList({ projectId, testId, whole });
  const { total, selected, error, isWrongQuery } = list;
  // A button beside the box means what stands in it, also before it was applied.
  const typed = useRef(query);
  useEffect(() => void (typed.current = query), [query]);
  const applied = () => {
    if (typed.current !== query) change({ query: typed.current, selected: null }, { push: true });
    return wholeQuery({ query: typed.current, section, sort });
  };
  const search = (text: string) => {
    list.setCurrent(-1);
    change({ query: text, selected: null }, { push: true });
  };
  useTitle(t('Tests{ofProject}', { ofProject: project.data ? ` – ${project.data.projectName}` : '' }));
  const panel = { projectId, metadata, mayWrite };
  const { undoLast } = useUndo(projectId);
  useUndoKey(async () => (mayWrite ? undoLast() : undefined));
  useFocusAfterPanel(testId !== null);
  const panelWidth = usePanelWidth();
  const close = () => setDialog(null);
  return (
    <div className={testId === null ? 'tests' : 'tests with-panel'} style={panelWidth}>
      <SectionPanel
        projectId={projectId}
        chosen={section}
        onChoose={(id) =>
          change({ section: id === null ? null : String(id), selected: null }, { push: true })
        }
        mayWrite={mayWrite}
      />
      <div className="tests-list">
        <Head
          total={isGone ? 0 : total}
          mayWrite={mayWrite}
          onOpen={(name) => {
            // Tests that were ticked are meant as they are.
            if (name === 'run' && selected.length === 0) applied();
            setDialog(name);
          }}
          onExport={(format) => void exportTests(projectId, format, applied())}
        />
        <QueryBox
          tool="get-tests"
          label={t('Search tests')}
          value={query}
          onApply={search}
          onPause={(text) => {
            list.setCurrent(-1);
            change({ query: text, selected: null });
          }}
          onType={(text) => (typed.current = text)}
          values={names}
          error={isWrongQuery && !isGone ? messageOf(error) : undefined}
        >
          <SavedViews
            projectId={projectId}
            surface="tests"
            query={whole ?? ''}
            mayShare={mayWrite}
            onApply={(text) => {
              list.setCurrent(-1);
              change({ query: text, section: null, sort: null, selected: null }, { push: true });
            }}
          />
        </QueryBox>
        <QueryChips chips={[...testChips(metadata), ...ownChips]} query={query} onApply={search} />
        {mayWrite && <QuickCreate projectId={projectId} sectionId={isGone ? null : section} />}
        {mayWrite && selected.length > 0 && (
          <SelectionBar
            isOfDeleted={asksForDeleted(query)}
            projectId={projectId}
            ids={selected}
            metadata={metadata}
            onSelect={(ids) => change({ selected: selectionText(ids) })}
            query={whole}
            total={total ?? 0}
          />
        )}
        {isGone ? (
          <SectionGone onAll={() => change({ section: null, selected: null })} />
        ) : (
          <TestList list={list} columns={columns} shown={shown} mayWrite={mayWrite} />
        )}
      </div>
      {testId !== null && (
        <>
          <PaneDivider label={t('Width of the test')} />
          <TestPanel key={testId} {...panel} testId={testId} onClose={() => list.open(null)} />
        </>
      )}
      <ColumnDialog
        isOpen={dialog === 'columns'}
        onClose={close}
        columns={columns}
        shown={shown}
        onChange={(keys) =>
          change({ columns: keys.join(',') === usualColumns.join(',') ? null : keys.join(',') })
        }
      />
      <ImportDialog projectId={projectId} isOpen={dialog === 'import'} onClose={close} />
      {dialog === 'run' && (
        <RunFromTests projectId={projectId} query={whole ?? ''} selected={selected} onClose={close} />
      )}
    </div>
  );
}

interface HeadProps {
  readonly total: number | undefined;
  readonly mayWrite: boolean;
  readonly onOpen: (dialog: Dialog) => void;
  readonly onExport: (format: 'csv' | 'json') => void;
}

/** How many tests there are, and what can be done with them. */
const Head = ({ total, mayWrite, onOpen, onExport }: HeadProps) => (
  <div className="between tests-head">
    <h1>{t('Tests')}</h1>
    <div className="row">
      <span className="note" role="status">
        {total === undefined ? '' : countText(total, 'test')}
      </span>
      {mayWrite && <Button onPress={() => onOpen('run')}>{t('Create run')}</Button>}
      <ActionMenu
        label={t('Actions for tests')}
        text={t('More')}
        actions={[
          { id: 'columns', name: t('Columns…'), onAction: () => onOpen('columns') },
          ...(mayWrite ? [{ id: 'import', name: t('Import…'), onAction: () => onOpen('import') }] : []),
          { id: 'csv', name: t('Export as CSV'), onAction: () => onExport('csv') },
          { id: 'json', name: t('Export as JSON'), onAction: () => onExport('json') },
        ]}
      />
    </div>
  </div>
);

/** Saves the tests that a query chooses as a file. */
async function exportTests(
  projectId: number,
  format: 'csv' | 'json',
  query: string | undefined,
): Promise<void> {
  try {
    await download('download-tests', { projectId, format, ...(query === undefined ? {} : { query }) });
  } catch (error) {
    sayError(error);
  }
}
