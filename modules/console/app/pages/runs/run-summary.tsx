import { useTool } from '../../api/queries.ts';
import { Answer } from '../../design/states.tsx';
import { numberText } from '../../design/amount.ts';
import { passRateText, ProgressBar, type Counts } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';

interface Group {
  readonly name: string;
  readonly counts: Counts;
}

const Groups = ({ title, groups }: { readonly title: string; readonly groups: readonly Group[] }) => (
  <section className="stack tight">
    <h2>{title}</h2>
    <Table
      label={`Tests by ${title.toLowerCase()}`}
      rows={groups}
      keyOf={({ name }) => name}
      columns={[
        { title, cell: ({ name }) => name },
        { title: 'Progress', cell: ({ counts }) => <ProgressBar counts={counts} /> },
        { title: 'Pass rate', isNumber: true, cell: ({ counts }) => passRateText(counts) },
        { title: 'Failed', isNumber: true, cell: ({ counts }) => numberText(counts.failed) },
        { title: 'Open', isNumber: true, cell: ({ counts }) => numberText(counts.untested + counts.retest) },
      ]}
    />
  </section>
);

/** A run by section and by squad. */
export function RunSummary({ projectId, runId }: { readonly projectId: number; readonly runId: number }) {
  const state = useTool('get-run-state-detail', { projectId, runId });
  return (
    <Answer of={state}>
      {({ bySection, bySquad }) => (
        <div className="run-groups">
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
