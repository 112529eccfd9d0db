import type { Output } from '../../api/calls.ts';
import { countText } from '../../design/amount.ts';
import { Alert } from '../../design/states.tsx';

/** What an import would do. */
export function ImportPreview({ of }: { readonly of: Output<'import-tests'> }) {
  const added = Object.entries(of.added).filter(([, count]) => count > 0);
  const again = [
    [of.updatedCount, 'updated'],
    [of.restoredCount, 'restored'],
    [of.unchangedCount, 'left as they are'],
  ].filter(([count]) => count !== 0);
  return (
    <div className="stack">
      <p>
        <strong>{countText(of.createdCount, 'test')}</strong> would be added
        {added.length > 0 &&
          `, and ${added.map(([kind, count]) => countText(count, ...(words[kind] ?? [kind]))).join(', ')}`}
        .
        {again.length > 0 &&
          ` Of tests that were imported before: ${again.map(([count, what]) => `${count} ${what}`).join(', ')}.`}
      </p>
      {of.ignoredColumns.length > 0 && (
        <p className="note">
          Ignored columns: {of.ignoredColumns.join(', ')}. To keep one, create a field of its name first.
        </p>
      )}
      {of.faultsCount > 0 && (
        <Alert kind="error">
          <p>
            {countText(of.faultsCount, 'row')} cannot be imported. Repair them in the file and choose it
            again.
          </p>
          <ul>
            {of.faults.map(({ row, message }, index) => (
              <li key={index}>
                Row {row}: {message}
              </li>
            ))}
          </ul>
        </Alert>
      )}
      {of.tests !== undefined && of.tests.length > 0 && (
        <details>
          <summary>The first {countText(of.tests.length, 'test')}</summary>
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

const words: Readonly<Record<string, readonly [one: string, several?: string]>> = {
  sections: ['section'],
  labels: ['label'],
  squads: ['squad'],
  options: ['value of a classification', 'values of classifications'],
};
