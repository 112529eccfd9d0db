import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from 'wouter';
import { Listing } from '../../design/listing.tsx';
import type { PagerProps } from '../../design/pager.tsx';
import { Empty } from '../../design/states.tsx';
import type { TableProps } from '../../design/table.tsx';
import { noun, t } from '../../texts/text.ts';

interface InsightTest {
  readonly testId: number;
  readonly testName: string;
  readonly sectionPath: readonly string[];
  readonly priority: string | null;
  readonly squad: string | null;
}

interface RankedProps<Row extends InsightTest> extends Pick<TableProps<Row>, 'label' | 'columns'> {
  readonly projectId: number;
  readonly of: UseQueryResult<{ readonly tests: readonly Row[]; readonly total: number }, Error>;
  readonly pager: Omit<PagerProps, 'of' | 'total'>;
  /** The text for an empty list. */
  readonly none: string;
}

/** A page of an insight that ranks tests, each with a link to it. */
export const RankedTests = <Row extends InsightTest>({
  projectId,
  columns,
  none,
  ...listing
}: RankedProps<Row>) => (
  <Listing
    {...listing}
    rowsOf={({ tests }) => tests}
    keyOf={({ testId }) => testId}
    columns={[
      {
        title: t('Test'),
        cell: ({ testId, testName, sectionPath }) => (
          <>
            <Link href={`/projects/${projectId}/tests/${testId}`}>{testName}</Link>
            {sectionPath.length > 0 && <div className="note">{sectionPath.join(' > ')}</div>}
          </>
        ),
      },
      ...columns,
      { title: t('Priority'), cell: ({ priority }) => priority ?? '–' },
      { title: t('Squad'), cell: ({ squad }) => squad ?? '–' },
    ]}
    names={noun('test')}
    empty={
      <Empty title={t('No such test')}>
        <p>{none}</p>
      </Empty>
    }
  />
);
