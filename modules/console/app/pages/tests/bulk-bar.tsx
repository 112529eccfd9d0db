import { useState } from 'react';
import type { Input } from '../../api/calls.ts';
import { everyClassification } from '../../../../testmgmt/rules/classification.ts';
import { ownName } from '../../../../testmgmt/rules/field-value.ts';
import type { useMetadata } from '../../api/metadata.ts';
import { useChange, useRefresh } from '../../api/queries.ts';
import { countText, doneText } from '../../design/amount.ts';
import { Button } from '../../design/button.tsx';
import { ActionDialog } from '../../design/dialog.tsx';
import { Choice, type Option } from '../../design/fields.tsx';
import { say, sayError } from '../../design/toast.tsx';
import { everyTest } from '../../query/query-text.ts';
import { classificationTitle } from '../../api/classification-title.ts';
import { useProjectFields } from '../fields/field-inputs.tsx';
import { FieldOfMany } from '../fields/field-of-many.tsx';
import { useSectionOptions } from './section-options.ts';
import { writeToSelected } from './test-selection.ts';
import { SelectionFrame } from './selection-frame.tsx';
import { JoinTests } from './test-join.tsx';
import { RestoreBar } from './test-restore.tsx';
import { useUndo } from '../versions/test-undo.ts';
import { t } from '../../texts/text.ts';

type Fields = Input<'change-tests'>['set'];

interface BulkBarProps {
  readonly projectId: number;
  readonly ids: readonly number[];
  readonly metadata: ReturnType<typeof useMetadata>;
  readonly onClear: () => void;
  readonly onSelect: (ids: readonly number[]) => void;
  /** What the page shows; undefined: all tests. */
  readonly query: string | undefined;
  readonly total: number;
}

const none = 'none';

/** What all tests have and the bar can set, with the values to choose from. */
function useSettable(
  projectId: number,
  metadata: BulkBarProps['metadata'],
): ReadonlyArray<Option & { readonly values: readonly Option[] }> {
  const sections = useSectionOptions(projectId);
  const toOptions = (values: ReadonlyArray<{ readonly id: number; readonly name: string }>): Option[] =>
    values.map(({ id, name }) => ({ id: String(id), name }));
  const clear = [{ id: none, name: t('(none)') }];
  return [
    { id: 'sectionId', name: t('Section'), values: [...clear, ...sections] },
    ...everyClassification.map((kind) => ({
      id: `${kind}Id`,
      name: classificationTitle(kind),
      values: [...clear, ...toOptions(metadata.ofKind(kind))],
    })),
    { id: 'squadId', name: t('Squad'), values: [...clear, ...toOptions(metadata.squads)] },
    { id: 'addLabels', name: t('Add label'), values: toOptions(metadata.labels) },
    { id: 'removeLabels', name: t('Remove label'), values: toOptions(metadata.labels) },
  ];
}

/** Actions on the selected tests, or on all shown by the page: deleted ones can be restored. */
export function SelectionBar({
  isOfDeleted,
  ...rest
}: Omit<BulkBarProps, 'onClear'> & { readonly isOfDeleted: boolean }) {
  const bar = { ...rest, onClear: () => rest.onSelect([]) };
  return isOfDeleted ? <RestoreBar {...bar} query={bar.query ?? ''} /> : <BulkBar {...bar} />;
}

function BulkBar({ projectId, ids, metadata, onClear, onSelect, query, total }: BulkBarProps) {
  const [field, setField] = useState<string | null>(null);
  const [value, setValue] = useState<string | null>(null);
  const [wantsAll, setAll] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const [isJoining, setJoining] = useState(false);
  // After a change the query may find fewer tests than are ticked: these are meant then.
  const isAll = wantsAll && total > ids.length;
  const [one, other, ...more] = ids;
  const pair =
    !isAll && more.length === 0 && one !== undefined && other !== undefined ? ([one, other] as const) : null;
  const setSome = useChange('bulk-update-tests');
  const setAllOf = useChange('change-tests');
  const { undoButton } = useUndo(projectId);
  const refresh = useRefresh(['get-tests']);
  const all = query ?? everyTest;
  const count = isAll ? total : ids.length;

  const fields = useSettable(projectId, metadata);
  const chosen = fields.find(({ id }) => id === field);
  const own = useProjectFields(projectId, 'test');
  const ownChosen = own.find(({ key }) => ownName(key) === field);

  const write = async (set: Fields) => {
    // Somebody may have added a test to the query meanwhile.
    let changed = ids.length;
    if (isAll) changed = (await setAllOf.mutateAsync({ projectId, query: all, set })).count;
    else
      await writeToSelected({ projectId, ids, onSelect }, () =>
        setSome.mutateAsync({ tests: ids.map((testId) => ({ testId, ...set })) }),
      );
    say(`${doneText(changed, 'test', 'changed')}.`, undoButton());
  };
  const apply = async () => {
    if (field === null || value === null) return;
    const id = value === none ? null : Number(value);
    try {
      await write({ [field]: field.endsWith('Labels') ? [id] : id } as Fields);
    } catch (error) {
      // One of them may be deleted: the list shows it still.
      refresh({ projectId });
      sayError(error);
    }
  };

  return (
    <SelectionFrame {...{ count, total, isAll, onClear }} selected={ids.length} onAll={setAll}>
      <Choice
        label={t('Field')}
        hideLabel
        placeholder={t('Set field…')}
        options={[...fields, ...own.map(({ key, name }) => ({ id: ownName(key), name }))]}
        value={field}
        onChange={(id) => {
          setField(id);
          setValue(null);
        }}
      />
      {chosen && (
        <Choice
          label={t('Value of {name}', { name: chosen.name })}
          hideLabel
          placeholder={t('Value…')}
          options={chosen.values}
          value={value}
          onChange={setValue}
        />
      )}
      {ownChosen && (
        <FieldOfMany
          key={ownChosen.key}
          {...{ projectId, count }}
          field={ownChosen}
          onClose={() => setField(null)}
          onSet={(values) => write({ fields: values })}
        />
      )}
      <Button isDisabled={value === null} onPress={() => void apply()}>
        {t('Apply')}
      </Button>
      {pair && <Button onPress={() => setJoining(true)}>{t('Merge…')}</Button>}
      <Button onPress={() => setDeleting(true)}>{t('Delete…')}</Button>
      {pair && isJoining && (
        <JoinTests projectId={projectId} ids={pair} onClose={() => setJoining(false)} onDone={onClear} />
      )}
      {isDeleting && (
        <DeleteTests
          {...{ projectId, ids, onSelect, onClear, count }}
          query={isAll ? all : null}
          onClose={() => setDeleting(false)}
        />
      )}
    </SelectionFrame>
  );
}

interface DeleteTestsProps extends Pick<BulkBarProps, 'projectId' | 'ids' | 'onSelect' | 'onClear'> {
  readonly count: number;
  /** All that it finds; null: those with the ids. */
  readonly query: string | null;
  readonly onClose: () => void;
}

function DeleteTests({ projectId, ids, onSelect, onClear, count, query, onClose }: DeleteTestsProps) {
  const deleteSome = useChange('bulk-delete-tests');
  const deleteAll = useChange('delete-tests-by-query');
  const { undoButton } = useUndo(projectId);
  return (
    <ActionDialog
      title={t('Delete {tests}?', { tests: countText(count, 'test') })}
      action={t('Delete tests')}
      kind="danger"
      onClose={onClose}
      onConfirm={async () => {
        let deleted = ids.length;
        if (query !== null) deleted = (await deleteAll.mutateAsync({ projectId, query })).count;
        else
          await writeToSelected({ projectId, ids, onSelect }, () =>
            deleteSome.mutateAsync({ projectId, testIds: [...ids] }),
          );
        onClear();
        say(
          t('{count}. Find deleted tests with is:deleted.', {
            count: doneText(deleted, 'test', 'deleted'),
          }),
          undoButton(),
        );
      }}
    >
      <p>{t('Their results stay. Deleted tests are found with is:deleted and can be restored.')}</p>
    </ActionDialog>
  );
}
