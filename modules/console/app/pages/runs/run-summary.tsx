import { useTool } from '../../api/queries.ts';
import { Answer } from '../../design/states.tsx';
import { numberText, shareText } from '../../design/amount.ts';
import { ProgressBar, type Counts } from '../../design/status.tsx';

interface Group {
  readonly name: string;
  readonly counts: Counts;
}

const Groups = ({ title, groups }: { readonly title: string; readonly groups: readonly Group[] }) => (
  <section className="stack tight">
    <h2>{title}</h2>
    <div className="table-frame">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{title}</th>
            <th scope="col">Progress</th>
            <th scope="col" className="number">
              Passed
            </th>
            <th scope="col" className="number">
              Failed
            </th>
            <th scope="col" className="number">
              Open
            </th>
          </tr>
        </thead>
        <tbody>
          {groups.map(({ name, counts }) => (
            <tr key={name}>
              <td>{name}</td>
              <td>
                <ProgressBar counts={counts} />
              </td>
              <td className="number">{shareText(counts.passed, counts.total)}</td>
              <td className="number">{numberText(counts.failed)}</td>
              <td className="number">{numberText(counts.untested + counts.retest)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </section>
);

/** A run by section and by squad. */
export function RunSummary({ projectId, runId }: { readonly projectId: number; readonly runId: number }) {
  const state = useTool('get-run-state-detail', { projectId, runId });
  return (
    <Answer of={state}>
      {({ bySection, bySquad }) => (
        <div className="columns">
          <Groups
            title="Section"
            groups={bySection.map(({ sectionPath, counts }) => ({
              name: sectionPath.length === 0 ? '(none)' : sectionPath.join(' > '),
              counts,
            }))}
          />
          <Groups
            title="Squad"
            groups={bySquad.map(({ squad, counts }) => ({ name: squad ?? '(none)', counts }))}
          />
        </div>
      )}
    </Answer>
  );
}
