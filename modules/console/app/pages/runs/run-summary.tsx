import { useTool } from '../../api/queries.ts';
import { Answer } from '../../design/states.tsx';
import { numberText } from '../../design/amount.ts';
import { passRateText, ProgressBar, type Counts } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { t } from '../../texts/text.ts';

interface Group {
  readonly name: string;
  readonly counts: Counts;
}

const Groups = ({ title, groups }: { readonly title: string; readonly groups: readonly Group[] }) => (
  <section className="stack tight">
    <h2>{title}</h2>
    <Table
      label={t('Tests by {title}', { title: title.toLowerCase() })}
      rows={groups}
      keyOf={({ name }) => name}
      columns={[
        { title, cell: ({ name }) => name },
        { title: t('Progress'), cell: ({ counts }) => <ProgressBar counts={counts} /> },
        { title: t('Pass rate'), isNumber: true, cell: ({ counts }) => passRateText(counts) },
        { title: t('Failed'), isNumber: true, cell: ({ counts }) => numberText(counts.failed) },
        {
          title: t('Open'),
          isNumber: true,
          cell: ({ counts }) => numberText(counts.untested + counts.retest),
        },
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
            title={t('Section')}
            groups={bySection.map(({ sectionPath, counts }) => ({
              name: sectionPath.length === 0 ? t('(none)') : sectionPath.join(' > '),
              counts,
            }))}
          />
          <Groups
            title={t('Squad')}
            groups={bySquad.map(({ squad, counts }) => ({ name: squad ?? t('(none)'), counts }))}
          />
        </div>
      )}
    </Answer>
  );
}
