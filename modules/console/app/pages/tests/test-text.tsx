import type { Output } from '../../api/calls.ts';
import { RichText } from '../../design/rich-text.tsx';

type Texts = Pick<Output<'get-test-details'>, 'testDescription' | 'preconditions' | 'steps'>;

/** What a test says: description, preconditions and steps. */
export const TestText = ({ test: { testDescription, preconditions, steps } }: { readonly test: Texts }) => (
  <>
    {testDescription !== '' && (
      <div className="stack tight">
        <h3>Description</h3>
        <RichText>{testDescription}</RichText>
      </div>
    )}
    {preconditions !== '' && (
      <div className="stack tight">
        <h3>Preconditions</h3>
        <RichText>{preconditions}</RichText>
      </div>
    )}
    {steps.length > 0 && (
      <div className="stack tight">
        <h3>Steps</h3>
        <ol className="stack tight">
          {steps.map(({ action, data, expected }, index) => (
            <li key={index}>
              <RichText>{action}</RichText>
              {data !== undefined && data !== '' && <p className="note wrap">Data: {data}</p>}
              {expected !== undefined && expected !== '' && <p className="note wrap">Expected: {expected}</p>}
            </li>
          ))}
        </ol>
      </div>
    )}
    {testDescription === '' && preconditions === '' && steps.length === 0 && (
      <p className="note">It has no description and no steps yet.</p>
    )}
  </>
);
