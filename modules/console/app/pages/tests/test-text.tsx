import { lazy, Suspense } from 'react';
import type { Output } from '../../api/calls.ts';

const MarkdownText = lazy(async () => ({
  default: (await import('../../design/markdown.tsx')).MarkdownText,
}));

const Text = ({ children }: { readonly children: string }) => (
  <Suspense fallback={<p className="wrap">{children}</p>}>
    <MarkdownText>{children}</MarkdownText>
  </Suspense>
);

type Texts = Pick<Output<'get-test-details'>, 'testDescription' | 'preconditions' | 'steps'>;

/** What a test says: description, preconditions and steps. */
export const TestText = ({ test: { testDescription, preconditions, steps } }: { readonly test: Texts }) => (
  <>
    {testDescription !== '' && (
      <div className="stack tight">
        <h3>Description</h3>
        <Text>{testDescription}</Text>
      </div>
    )}
    {preconditions !== '' && (
      <div className="stack tight">
        <h3>Preconditions</h3>
        <Text>{preconditions}</Text>
      </div>
    )}
    {steps.length > 0 && (
      <div className="stack tight">
        <h3>Steps</h3>
        <ol className="stack tight">
          {steps.map(({ action, data, expected }, index) => (
            <li key={index}>
              <Text>{action}</Text>
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
