import type { Output } from '../../api/calls.ts';
import { RichText } from '../../design/rich-text.tsx';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

type Texts = Pick<Output<'get-test-details'>, 'testDescription' | 'preconditions' | 'steps'>;

/** What a test says: description, preconditions and steps. */
export const TestText = ({ test: { testDescription, preconditions, steps } }: { readonly test: Texts }) => (
  <>
    {testDescription !== '' && (
      <div className="stack tight">
        <h3>{t('Description')}</h3>
        <RichText>{testDescription}</RichText>
      </div>
    )}
    {preconditions !== '' && (
      <div className="stack tight">
        <h3>{t('Preconditions')}</h3>
        <RichText>{preconditions}</RichText>
      </div>
    )}
    {steps.length > 0 && (
      <div className="stack tight">
        <h3>{t('Steps')}</h3>
        <ol className="stack tight steps-shown">
          {steps.map(({ action, data, expected }, index) => (
            <li key={index}>
              <RichText>{action}</RichText>
              {data !== undefined && data !== '' && (
                <div className="step-part">
                  {nodes('Data: {data}', { data: <RichText>{data}</RichText> })}
                </div>
              )}
              {expected !== undefined && expected !== '' && (
                <div className="step-part">
                  {nodes('Expected: {expected}', { expected: <RichText>{expected}</RichText> })}
                </div>
              )}
            </li>
          ))}
        </ol>
      </div>
    )}
    {testDescription === '' && preconditions === '' && steps.length === 0 && (
      <p className="note">{t('It has no description and no steps yet.')}</p>
    )}
  </>
);
