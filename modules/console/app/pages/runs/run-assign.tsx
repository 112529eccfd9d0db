import { useState } from 'react';
import { useTesters, usePeople } from '../../api/people.ts';
import { useChange, useMe } from '../../api/queries.ts';
import { countText, doneText } from '../../design/amount.ts';
import { ActionDialog } from '../../design/dialog.tsx';
import { Check, Choice } from '../../design/fields.tsx';
import { ActionMenu } from '../../design/menu.tsx';
import { say } from '../../design/toast.tsx';
import { useKeys } from '../../frame/keys.ts';
import { PeopleChoice } from '../planning/people-choice.tsx';
import type { RunTest } from './run-tests.ts';
import { t } from '../../texts/text.ts';

interface RunAssignProps {
  readonly projectId: number;
  readonly runId: number;
  /** The query of the list. */
  readonly query: string;
  readonly selected: RunTest | undefined;
  /** How many tests the list has. */
  readonly count: number;
  readonly onChanged: () => void;
}

/** Gives the selected test, or all tests that are found, to somebody. */
export function RunAssign({ selected, count, ...rest }: RunAssignProps) {
  const [which, setWhich] = useState<'selected' | 'found' | null>(null);
  useKeys({ a: () => selected && setWhich('selected') });
  return (
    <>
      <ActionMenu
        label={t('assign tests')}
        text={t('Assign')}
        actions={[
          {
            id: 'selected',
            name: t('The selected test…'),
            isDisabled: !selected,
            onAction: () => setWhich('selected'),
          },
          {
            id: 'found',
            name: t('{tests} of the list…', { tests: countText(count, 'test') }),
            isDisabled: count === 0,
            onAction: () => setWhich('found'),
          },
        ]}
      />
      {which !== null && (
        <AssignDialog
          {...rest}
          test={which === 'selected' ? selected : undefined}
          count={count}
          onClose={() => setWhich(null)}
        />
      )}
    </>
  );
}

interface AssignDialogProps extends Omit<RunAssignProps, 'selected'> {
  /** Undefined: all tests of the list. */
  readonly test: RunTest | undefined;
  readonly onClose: () => void;
}

const nobody = { id: 'nobody', name: t('Nobody') };

function AssignDialog({ projectId, runId, query, test, count, onChanged, onClose }: AssignDialogProps) {
  const me = useMe().data?.userId;
  const members = useTesters(projectId);
  const { nameOf } = usePeople();
  const [one, setOne] = useState<string | null>(me === undefined ? null : String(me));
  const [several, setSeveral] = useState<readonly number[]>([]);
  const [isOfNobody, setOfNobody] = useState(false);
  const assign = useChange('assign-tests');
  const nobodys = test ? one === nobody.id : isOfNobody;
  const chosen = nobodys ? [] : !test ? several : one === null ? [] : [Number(one)];
  return (
    <ActionDialog
      title={
        test
          ? t('Assign {testName}', { testName: test.testName })
          : t('Assign {tests}', { tests: countText(count, 'test') })
      }
      action={t('Assign')}
      onClose={onClose}
      isDisabled={!nobodys && chosen.length === 0}
      onConfirm={async () => {
        const tests = test ? { testIds: [test.testId] } : { query };
        const assignTo = nobodys ? null : [...chosen];
        const { changed } = await assign.mutateAsync({ projectId, runId, assignTo, ...tests });
        onChanged();
        say(
          nobodys
            ? t('Assigned to nobody: {tests}.', { tests: countText(changed, 'test') })
            : `${doneText(changed, 'test', 'assigned')}.`,
        );
      }}
    >
      {test ? (
        <Choice
          label={t('Assign to')}
          value={one}
          onChange={setOne}
          options={[nobody, ...members.map(({ userId }) => ({ id: String(userId), name: nameOf(userId) }))]}
        />
      ) : (
        <>
          <Check isSelected={isOfNobody} onChange={setOfNobody}>
            {t('Nobody')}
          </Check>
          {!isOfNobody && (
            <PeopleChoice
              projectId={projectId}
              label={t('Assign to')}
              chosen={several}
              onChange={setSeveral}
            />
          )}
          {!isOfNobody && several.length > 1 && (
            <p className="note">
              {t('Each gets about {tests}.', { tests: countText(Math.ceil(count / several.length), 'test') })}
            </p>
          )}
        </>
      )}
    </ActionDialog>
  );
}
