import { everyClassification, idFieldOf } from '../../../../testmgmt/rules/classification.ts';
import { useTool } from '../../api/queries.ts';
import { Answer } from '../../design/states.tsx';
import type { OwnValues } from '../fields/field-inputs.tsx';
import { estimateText } from '../planning/estimate-words.ts';
import { proposedSet, type ProposedSet } from '../reviews/test-proposal.ts';
import { TestForm, type TypedTest, type TestFormProps } from './test-form.tsx';

const idFields = ['sectionId', 'squadId', ...everyClassification.map((kind) => idFieldOf[kind])] as const;

/** What was proposed, as it stands in the form of a test. */
function typedIn(set: ProposedSet): Partial<TypedTest> {
  const { testName, testDescription, preconditions, steps, labels, fields, estimateSeconds } = set;
  const ids = Object.fromEntries(
    idFields.flatMap((field) => (set[field] === undefined ? [] : [[field, set[field]]])),
  );
  return {
    ids,
    ...(testName !== undefined && { name: testName }),
    ...(testDescription !== undefined && { description: testDescription ?? '' }),
    ...(preconditions !== undefined && { preconditions: preconditions ?? '' }),
    ...(steps && { steps }),
    ...(labels && { labels }),
    ...(fields && { own: fields as OwnValues }),
    ...(estimateSeconds !== undefined && { estimate: estimateText(estimateSeconds) }),
  };
}

/** The form of a test with what its author has proposed. What is proposed now takes its place. */
export const ProposalForm = ({
  reviewId,
  ...form
}: Omit<TestFormProps, 'proposal' | 'pasted'> & { readonly reviewId: number }) => (
  <Answer of={useTool('get-review', { reviewId })}>
    {({ changes, comment }) => (
      <TestForm
        {...form}
        proposal={{ reviewId, typed: { ...typedIn(proposedSet(changes)), why: comment } }}
      />
    )}
  </Answer>
);
