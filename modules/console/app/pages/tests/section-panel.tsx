import { useState } from 'react';
import { Button as AriaButton, Tree, TreeItem, TreeItemContent, useDragAndDrop } from 'react-aria-components';
import { useChange } from '../../api/queries.ts';
import { countText, doneText, numberText } from '../../design/amount.ts';
import { Button } from '../../design/button.tsx';
import { Icon } from '../../design/marks/icon.tsx';
import { ActionMenu } from '../../design/menu.tsx';
import { Answer } from '../../design/states.tsx';
import { say, sayError } from '../../design/toast.tsx';
import { useSections } from './section-options.ts';
import { draggedTestsType, droppedTests } from './test-drag.ts';
import { mayMove, treeOf, type Branch } from './section-tree.ts';
import { SectionDialog, type SectionAction } from './section-dialog.tsx';
import { useUndo } from '../versions/test-undo.ts';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

interface SectionPanelProps {
  readonly projectId: number;
  /** The chosen section; null: all tests. */
  readonly chosen: number | null;
  readonly onChoose: (sectionId: number | null) => void;
  readonly mayWrite: boolean;
}

/** The sections of a project as a tree. Dragging one moves it; a menu does the same for the keyboard. */
export function SectionPanel({ projectId, chosen, onChoose, mayWrite }: SectionPanelProps) {
  const sections = useSections(projectId);
  const all = sections.data?.sections ?? [];
  const move = useChange('move-section');
  const setTests = useChange('bulk-update-tests');
  const { undoButton } = useUndo(projectId);
  const [action, setAction] = useState<SectionAction | null>(null);

  const moveTo = (sectionId: number, parentSectionId: number | null) => {
    if (!mayMove(all, sectionId, parentSectionId)) return;
    move.mutate(
      { sectionId, parentSectionId },
      { onSuccess: () => say(t('The section was moved.'), undoButton()), onError: sayError },
    );
  };
  const moveTests = async (testIds: readonly number[], sectionId: number) => {
    if (testIds.length === 0) return;
    try {
      await setTests.mutateAsync({ tests: testIds.map((testId) => ({ testId, sectionId })) });
      say(`${doneText(testIds.length, 'test', 'moved')}.`, undoButton());
    } catch (error) {
      sayError(error);
    }
  };
  const { dragAndDropHooks } = useDragAndDrop({
    isDisabled: !mayWrite,
    getItems: (keys) => [...keys].map((key) => ({ 'text/plain': String(key) })),
    acceptedDragTypes: ['text/plain', draggedTestsType],
    onItemDrop: async ({ items, target }) => {
      for (const item of items) {
        if (item.kind !== 'text') continue;
        if (item.types.has(draggedTestsType))
          await moveTests(droppedTests(await item.getText(draggedTestsType)), Number(target.key));
        else moveTo(Number(await item.getText('text/plain')), Number(target.key));
      }
    },
    onRootDrop: async ({ items }) => {
      for (const item of items)
        if (item.kind === 'text' && !item.types.has(draggedTestsType))
          moveTo(Number(await item.getText('text/plain')), null);
    },
  });

  const branch = (section: Branch) => (
    <TreeItem key={section.id} id={section.id} textValue={section.name} className="tree-item">
      <TreeItemContent>
        <Entry of={section} mayWrite={mayWrite} onAct={setAction} />
      </TreeItemContent>
      {section.children.map(branch)}
    </TreeItem>
  );

  return (
    <section className="tests-sections stack" aria-label={t('Sections')}>
      <div className="between">
        <h2>{t('Sections')}</h2>
        {mayWrite && (
          <Button small onPress={() => setAction({ kind: 'add', parentId: null, parentName: null })}>
            {t('New section')}
          </Button>
        )}
      </div>
      <AriaButton
        className={chosen === null ? 'tests-all chosen' : 'tests-all'}
        aria-pressed={chosen === null}
        onPress={() => onChoose(null)}
      >
        {t('All tests')}
      </AriaButton>
      <Answer of={sections}>
        {({ sections: list, total }) =>
          list.length === 0 ? (
            <p className="note">{t('No section yet. Sections group tests, like folders.')}</p>
          ) : (
            <>
              <Tree
                aria-label={t('Sections')}
                className="tree"
                selectionMode="single"
                selectionBehavior="replace"
                selectedKeys={chosen === null ? [] : [chosen]}
                onSelectionChange={(keys) => {
                  if (keys === 'all') return;
                  const [key] = keys;
                  onChoose(key === undefined ? null : Number(key));
                }}
                // Enter.
                onAction={(key) => onChoose(Number(key))}
                dragAndDropHooks={dragAndDropHooks}
              >
                {treeOf(list).map(branch)}
              </Tree>
              {total > list.length && (
                <p className="note">
                  {nodes('The first {list} of {sections}. Find others with {sectionName}.', {
                    list: numberText(list.length),
                    sections: countText(total, 'section'),
                    sectionName: <code>section:name</code>,
                  })}
                </p>
              )}
            </>
          )
        }
      </Answer>
      <SectionDialog
        projectId={projectId}
        sections={all}
        action={action}
        onClose={() => setAction(null)}
        onDeleted={(id) => {
          if (id === chosen) onChoose(null);
        }}
        onMove={moveTo}
      />
    </section>
  );
}

interface EntryProps {
  readonly of: Branch;
  readonly mayWrite: boolean;
  readonly onAct: (action: SectionAction) => void;
}

/** A section in the tree: its handle, its name and its menu. */
function Entry({ of: { id, name, children }, mayWrite, onAct }: EntryProps) {
  const action = (kind: 'rename' | 'move' | 'delete', text: string) => ({
    id: kind,
    name: text,
    onAction: () => onAct({ kind, id, name }),
  });
  return (
    <>
      {mayWrite && (
        <AriaButton slot="drag" className="tree-drag" aria-label={t('Move {name}', { name })}>
          <Icon of="drag" size={14} />
        </AriaButton>
      )}
      {children.length > 0 ? (
        <AriaButton slot="chevron" className="tree-chevron" aria-label={t('Open {name}', { name })}>
          <Icon of="opened" size={14} />
        </AriaButton>
      ) : (
        <span className="tree-chevron" aria-hidden="true" />
      )}
      <span className="cut grow">{name}</span>
      {mayWrite && (
        <ActionMenu
          small
          label={t('Actions for {name}', { name })}
          actions={[
            {
              id: 'add',
              name: t('New section below'),
              onAction: () => onAct({ kind: 'add', parentId: id, parentName: name }),
            },
            action('rename', t('Rename')),
            action('move', t('Move to…')),
            action('delete', t('Delete')),
          ]}
        />
      )}
    </>
  );
}
