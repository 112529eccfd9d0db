import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Pager } from '../../design/pager.tsx';
import { Empty } from '../../design/states.tsx';
import { Table } from '../../design/table.tsx';

interface InsightTest {
  readonly testId: number;
  readonly testName: string;
  readonly sectionPath: readonly string[];
  readonly priority: string | null;
  readonly squad: string | null;
}

interface RankedProps<Row extends InsightTest> {
  readonly projectId: number;
  readonly label: string;
  readonly answer: {
    readonly tests: readonly Row[];
    readonly total: number;
    readonly limit: number;
    readonly offset: number;
  };
  readonly onOffset: (offset: number) => void;
  readonly columns: ReadonlyArray<{
    readonly title: string;
    readonly isNumber?: boolean;
    readonly cell: (row: Row) => ReactNode;
  }>;
  /** What it means that there is none. */
  readonly none: string;
}

/** A page of an insight that ranks tests, each with the way to it. */
export const RankedTests = <Row extends InsightTest>({
  projectId,
  label,
  answer: { tests, total, limit, offset },
  onOffset,
  columns,
  none,
}: RankedProps<Row>) =>
  total === 0 ? (
    <Empty title="No such test">
      <p>{none}</p>
    </Empty>
  ) : (
    <div className="stack">
      <Table
        label={label}
        rows={tests}
        keyOf={({ testId }) => testId}
        columns={[
          {
            title: 'Test',
            cell: ({ testId, testName, sectionPath }) => (
              <>
                <Link href={`/projects/${projectId}/tests/${testId}`}>{testName}</Link>
                {sectionPath.length > 0 && <div className="note">{sectionPath.join(' > ')}</div>}
              </>
            ),
          },
          ...columns,
          { title: 'Priority', cell: ({ priority }) => priority ?? '–' },
          { title: 'Squad', cell: ({ squad }) => squad ?? '–' },
        ]}
      />
      <Pager of={['test', 'tests']} total={total} limit={limit} offset={offset} onOffset={onOffset} />
    </div>
  );
