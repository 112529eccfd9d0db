import type { Output } from '../../../api/calls.ts';
import { withLabels } from '../../../api/parameter-words.ts';
import { countText } from '../../../design/amount.ts';
import { Alert } from '../../../design/states.tsx';
import { columnFor } from './import-fault.ts';
import { addedNames, againText } from './import-outcome.ts';
import { t } from '../../../texts/text.ts';
import { nodes } from '../../../texts/text-nodes.ts';

/** What an import would do. */
export function ImportPreview({ of }: { readonly of: Output<'import-tests'> }) {
  const added = addedNames(of.added);
  const columnOf = columnFor(of.mapping ?? []);
  return (
    <div className="stack">
      <p>
        {nodes('{tests} would be added{added}.{again}', {
          tests: <strong>{countText(of.createdCount, 'test')}</strong>,
          added: added !== '' && t(', and {added}', { added }),
          again: againText(of),
        })}
      </p>
      {addsOwnAgain(of) && (
        <Alert kind="warning">
          {t(
            'The ids in an export of Trivet are not read: tests that this project has already would be there a second time.',
          )}
        </Alert>
      )}
      {addsAgainNextTime(of) && (
        <p className="note">
          {t(
            'The tests have no ids, so importing this file again adds them again. If a column has ids, let it go to "Id in the other product".',
          )}
        </p>
      )}
      {of.ignoredColumns.length > 0 && (
        <p className="note">
          {nodes('Ignored columns: {ignoredColumns}. To keep one, create a field of its name first.', {
            ignoredColumns: of.ignoredColumns.join(', '),
          })}
        </p>
      )}
      {lacksNames(of) && (
        <Alert kind="error">
          {t('No column goes to "Name". Choose above the column with the names of the tests.')}
        </Alert>
      )}
      {of.faultsCount > 0 && !lacksNames(of) && (
        <Alert kind="error">
          <p>
            {t('{rows} cannot be imported. Repair them in the file and choose it again.', {
              rows: countText(of.faultsCount, 'row'),
            })}
          </p>
          <ul>
            {of.faults.map(({ row, message }, index) => (
              <li key={index}>
                {nodes('Row {row}: {message}', { row, message: withLabels(message, columnOf) })}
              </li>
            ))}
          </ul>
        </Alert>
      )}
      {of.tests !== undefined && of.tests.length > 0 && (
        <details>
          <summary>{t('The first {tests}', { tests: countText(of.tests.length, 'test') })}</summary>
          <ol>
            {of.tests.map(({ testName, sectionPath = [], steps = [], externalId }, index) => (
              <li key={index}>
                {[...sectionPath, testName].join(' › ')} ({countText(steps.length, 'step')}
                {externalId !== undefined && `, ${externalId}`})
              </li>
            ))}
          </ol>
        </details>
      )}
    </div>
  );
}

/** Whether nobody said which column has the names: the columns above are to be corrected, not the file. */
const lacksNames = ({ mapping = [] }: Output<'import-tests'>): boolean =>
  mapping.length > 0 && !mapping.some(({ to }) => to === 'testName');

/** Whether tests would be added from an export of Trivet, whose ids an import does not read. */
const addsOwnAgain = ({ createdCount, format, mapping = [] }: Output<'import-tests'>): boolean =>
  createdCount > 0 &&
  (format === 'json' || mapping.some(({ column, to }) => column === 'testId' && to !== 'externalId'));

/** Whether nothing in a table says which tests these are when it is imported again. */
const addsAgainNextTime = (of: Output<'import-tests'>): boolean =>
  of.createdCount > 0 &&
  of.mapping !== undefined &&
  !of.mapping.some(({ to }) => to === 'externalId') &&
  !addsOwnAgain(of);
