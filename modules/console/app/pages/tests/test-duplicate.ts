import { useLocation } from 'wouter';
import { textHead } from '../../../../../core/text/text-head.ts';
import { everyClassification } from '../../../../testmgmt/rules/classification.ts';
import type { Output } from '../../api/calls.ts';
import { useChange } from '../../api/queries.ts';
import { say, sayError } from '../../design/toast.tsx';
import { useProposal } from '../reviews/use-proposal.ts';
import { useUndo } from '../versions/test-undo.ts';
import { t } from '../../texts/text.ts';

const longestName = 255;

/** Creates a test with the same content beside another, and opens it. Results, links and files stay with the first. */
export function useDuplicate(projectId: number, test: Output<'get-test-details'> | undefined) {
  const [, navigate] = useLocation();
  const create = useChange('create-test');
  const proposing = useProposal(projectId);
  const { undoButton } = useUndo(projectId);
  return async () => {
    if (!test) return;
    const ending = t('{testName} (copy)', { testName: '' });
    const values = Object.fromEntries(
      (
        [
          'sectionId',
          'squadId',
          'estimateSeconds',
          ...everyClassification.map((kind) => `${kind}Id` as const),
        ] as const
      ).flatMap((id) => (test[id] === null ? [] : [[id, test[id]]])),
    );
    const given = {
      testName: t('{testName} (copy)', {
        testName: textHead(test.testName, longestName - ending.length),
      }),
      ...(test.testDescription === '' ? {} : { testDescription: test.testDescription }),
      ...(test.preconditions === '' ? {} : { preconditions: test.preconditions }),
      steps: test.steps,
      labels: test.labels.map(({ labelId }) => labelId),
      ...(test.fields !== null && { fields: test.fields }),
      ...values,
    };
    try {
      if (proposing.isNeeded) return void (await proposing.propose({ set: given }));
      const made = await create.mutateAsync({ projectId, ...given });
      if ('testId' in made) navigate(`/projects/${projectId}/tests/${made.testId}`);
      say(t('{testName} was created.', { testName: given.testName }), undoButton());
    } catch (error) {
      sayError(error);
    }
  };
}
