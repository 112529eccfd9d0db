import { Link } from 'wouter';
import { useTool } from '../../api/queries.ts';
import { numberText } from '../../design/amount.ts';
import { Listing } from '../../design/listing.tsx';
import { Empty, Page } from '../../design/states.tsx';
import { Time } from '../../design/time.tsx';
import { usePaging } from '../../frame/paging.ts';
import { requirementQuery } from '../evidence/link-text.ts';
import { noun, t } from '../../texts/text.ts';

/** Which requirements have tests, and how these went the last time. */
export default function CoveragePage({ projectId }: { readonly projectId: number }) {
  const { page, pager } = usePaging();
  const coverage = useTool('get-requirement-coverage', { projectId, ...page }, { keep: true });
  const testsOf = (key: string, more = '') =>
    `/projects/${projectId}/tests?query=${encodeURIComponent(`${requirementQuery(key)}${more}`)}`;
  const count = (key: string, number: number, more: string) =>
    number === 0 ? '–' : <Link href={testsOf(key, more)}>{numberText(number)}</Link>;
  return (
    <Page title={t('Coverage')}>
      <Listing
        of={coverage}
        label={t('Coverage of requirements')}
        rowsOf={({ requirements }) => requirements}
        keyOf={({ key }) => key}
        columns={[
          {
            title: t('Requirement'),
            cell: ({ key, url }) =>
              url === null ? (
                key
              ) : (
                <a href={url} target="_blank" rel="noopener noreferrer">
                  {key}
                </a>
              ),
          },
          { title: t('Tests'), isNumber: true, cell: ({ key, tests }) => count(key, tests, '') },
          {
            title: t('Last results'),
            hideTitle: true,
            cell: ({ passed, failed, blocked, untested, neverRun }) => (
              <div className="bar" aria-hidden="true">
                <span className="of-passed" style={{ flexGrow: passed }} />
                <span className="of-failed" style={{ flexGrow: failed }} />
                <span className="of-blocked" style={{ flexGrow: blocked }} />
                <span className="of-untested" style={{ flexGrow: untested + neverRun }} />
              </div>
            ),
          },
          {
            title: t('Passed'),
            isNumber: true,
            cell: ({ key, passed }) => count(key, passed, ' last:passed'),
          },
          {
            title: t('Failed'),
            isNumber: true,
            cell: ({ key, failed }) => count(key, failed, ' last:failed'),
          },
          {
            title: t('Blocked'),
            isNumber: true,
            cell: ({ key, blocked }) => count(key, blocked, ' last:blocked'),
          },
          {
            title: t('Untested'),
            isNumber: true,
            cell: ({ key, untested }) => count(key, untested, ' last:untested,retest'),
          },
          {
            title: t('Never run'),
            isNumber: true,
            cell: ({ key, neverRun }) => count(key, neverRun, ' last:none'),
          },
          {
            title: t('Newest result'),
            cell: ({ lastAt }) => (lastAt === null ? '–' : <Time at={lastAt} />),
          },
        ]}
        names={noun('requirement')}
        pager={pager}
        empty={
          <Empty title={t('No requirement yet')}>
            <p>{t('Link a test to a requirement, on its page under Links, to see here what is tested.')}</p>
          </Empty>
        }
      />
    </Page>
  );
}
