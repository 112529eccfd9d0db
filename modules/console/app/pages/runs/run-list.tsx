import { Refusal } from '../../api/call.ts';
import { useMetadata } from '../../api/metadata.ts';
import { usePeople } from '../../api/people.ts';
import { messageOf } from '../../api/queries.ts';
import { countText, numberText } from '../../design/amount.ts';
import { Button } from '../../design/button.tsx';
import { Grid } from '../../design/grid/grid.tsx';
import { Alert, Empty, Failure, Loading } from '../../design/states.tsx';
import { SavedViews } from '../../query/saved-views.tsx';
import { QueryChips } from '../../query/query-chips.tsx';
import { runTestChips } from '../../query/usual-chips.ts';
import { QueryBox } from '../../query/query-box.tsx';
import { useQueryHints } from '../fields/query-hints.ts';
import type { ChosenTest } from './run-choice.ts';
import { runColumns } from './run-columns.tsx';
import type { Execution } from './run-execution.ts';
import { rowText } from './row-text.ts';
import { statusOf } from './run-tests.ts';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

interface RunListProps {
  readonly projectId: number;
  readonly runId: number;
  readonly execution: Execution;
  readonly choice: ChosenTest;
  readonly query: string;
  readonly mayWrite: boolean;
  readonly onQuery: (query: string | null) => void;
  /** A query that is being typed: it is no step back. */
  readonly onPause: (query: string) => void;
}

/** The tests of a run that a query chooses. */
export const RunList = ({ query, onQuery, onPause, mayWrite, ...list }: RunListProps) => {
  const { error } = list.execution;
  const metadata = useMetadata(list.projectId);
  const { names, ownChips } = useQueryHints(list.projectId);
  const isWrong = query !== '' && error instanceof Refusal && error.status === 400;
  return (
    <div className="stack fill">
      <QueryBox
        tool="get-run-tests-list"
        label={t('Search tests of the run')}
        value={query}
        values={names}
        onApply={onQuery}
        onPause={onPause}
        error={isWrong ? messageOf(error) : undefined}
      >
        <SavedViews
          projectId={list.projectId}
          surface="run-tests"
          query={query}
          mayShare={mayWrite}
          onApply={onQuery}
        />
      </QueryBox>
      <QueryChips chips={[...runTestChips(metadata), ...ownChips]} query={query} onApply={onQuery} />
      <Found {...list} isWrong={isWrong} />
    </div>
  );
};

type FoundProps = Omit<RunListProps, 'query' | 'mayWrite' | 'onQuery' | 'onPause'> & {
  readonly isWrong: boolean;
};

function Found({ projectId, runId, execution, choice, isWrong }: FoundProps) {
  const { tests, total, error, reload } = execution;
  const { nameOf } = usePeople();
  const count = tests.order.length;
  // The search box says what is wrong: nothing was searched for.
  if (isWrong) return null;
  if (error !== null && count === 0) return <Failure error={error} onRetry={reload} />;
  if (total === undefined) return <Loading />;
  if (count === 0)
    return (
      <Empty title={t('No test is found')}>
        <p>{t('Change the query, or add tests to the run.')}</p>
      </Empty>
    );
  return (
    <>
      {error !== null && (
        <Alert kind="error">
          {count < total
            ? nodes('Only {count} of {tests} could be read: {error}', {
                count: numberText(count),
                tests: countText(total, 'test'),
                error: messageOf(error),
              })
            : t('This list may be old: {error}', { error: messageOf(error) })}{' '}
          <Button small onPress={reload}>
            {t('Try again')}
          </Button>
        </Alert>
      )}
      <Grid
        label={t('Tests of the run')}
        table="run"
        columns={runColumns({
          statusOf: (testId) => statusOf(tests, testId),
          addressOf: (testId) => `/projects/${projectId}/runs/${runId}?test=${testId}`,
          nameOf,
          others: execution.others,
        })}
        total={count}
        rowAt={(index) => tests.rows.get(tests.order[index] ?? 0)}
        idOf={({ testId }) => testId}
        textOf={(row) =>
          rowText(row, statusOf(tests, row.testId), row.assigneeId ? nameOf(row.assigneeId) : null)
        }
        current={choice.current}
        onCurrent={choice.choose}
        onOpen={choice.open}
        height="100%"
      />
    </>
  );
}
