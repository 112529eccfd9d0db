import type { Output } from '../../api/calls.ts';
import { usePeople } from '../../api/people.ts';
import { useChange, useTool } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { Loading } from '../../design/states.tsx';
import { sayError } from '../../design/toast.tsx';
import { call } from '../../api/call.ts';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';
import type { TestCollision } from './test-merge.ts';
import { TestText } from './test-text.tsx';

type Test = Output<'get-test-details'>;

interface TestConflictProps {
  readonly test: Test;
  /** The time of the version with which the form began. */
  readonly seenAt: string;
  readonly isDeleted: boolean;
  /** What both changed, each differently. */
  readonly collisionsWith: (now: Test) => readonly TestCollision[];
  /** Stores the changes of the form onto what is stored now. */
  readonly onSave: (now: Test) => void;
}

/** Somebody else has stored another version, or deleted the test: lets the person decide. The input stays in the form. */
export function TestConflict({ test, seenAt, isDeleted, collisionsWith, onSave }: TestConflictProps) {
  if (isDeleted) return <DeletedMeanwhile test={test} onSave={onSave} />;
  return <ChangedMeanwhile {...{ test, seenAt, collisionsWith, onSave }} />;
}

function ChangedMeanwhile({
  test: { projectId, testId },
  seenAt,
  collisionsWith,
  onSave,
}: Omit<TestConflictProps, 'isDeleted'>) {
  const { data: now } = useTool('get-test-details', { projectId, testId });
  const { nameOf } = usePeople();
  if (!now || now.updatedAt === seenAt) return <Loading />;
  const collisions = collisionsWith(now);
  return (
    <div className="stack tight">
      <p>
        {now.updatedBy === null
          ? nodes('Stored now: {testName}', { testName: <strong>{now.testName}</strong> })
          : nodes('Stored now, by {person}: {testName}', {
              person: nameOf(now.updatedBy),
              testName: <strong>{now.testName}</strong>,
            })}
      </p>
      <p>
        {collisions.length === 0
          ? t('You changed nothing of what was changed meanwhile: both changes stay.')
          : t(
              'Both of you changed: {parts}. There yours replaces what is stored now; everything else stays.',
              {
                parts: collisions.map(collisionName).join(', '),
              },
            )}
      </p>
      <TestText test={now} />
      <div className="row">
        <Button small onPress={() => onSave(now)}>
          {t('Replace it with mine')}
        </Button>
      </div>
    </div>
  );
}

const names = {
  testName: t('Name'),
  testDescription: t('Description'),
  preconditions: t('Preconditions'),
  steps: t('Steps'),
  estimateSeconds: t('Estimate'),
} as const;

const collisionName = (collision: TestCollision): string =>
  typeof collision === 'number' ? t('Step {index}', { index: collision }) : names[collision];

function DeletedMeanwhile({
  test: { projectId, testId },
  onSave,
}: Pick<TestConflictProps, 'test' | 'onSave'>) {
  const restore = useChange('restore-test');
  const restoreAndSave = async () => {
    try {
      await restore.mutateAsync({ projectId, testId });
      onSave(await call('get-test-details', { projectId, testId }));
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <div className="row">
      <Button small isDisabled={restore.isPending} onPress={() => void restoreAndSave()}>
        {t('Restore it and save mine')}
      </Button>
    </div>
  );
}
