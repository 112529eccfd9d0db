import { Link } from 'wouter';
import { useTool } from '../../api/queries.ts';
import { numberText, percentText } from '../../design/amount.ts';
import { Listing } from '../../design/listing.tsx';
import { Empty } from '../../design/states.tsx';
import { usePaging } from '../../frame/paging.ts';
import { noun, t } from '../../texts/text.ts';

interface CoverageProps {
  readonly projectId: number;
  readonly query: string | undefined;
}

/** How much of each section is automated. */
export function CoveragePanel({ projectId, query }: CoverageProps) {
  const { page, pager } = usePaging();
  const coverage = useTool(
    'get-automation-coverage',
    { projectId, ...(query !== undefined && { query }), ...page },
    { keep: true },
  );
  return (
    <Listing
      of={coverage}
      label={t('Automation coverage')}
      rowsOf={({ sections }) => sections}
      keyOf={({ sectionId }) => sectionId ?? 0}
      columns={[
        {
          title: t('Section, with those below it'),
          cell: ({ sectionId, sectionPath }) =>
            sectionId === null ? (
              t('No section')
            ) : (
              <Link href={`/projects/${projectId}/tests?section=${sectionId}`}>
                {sectionPath.join(' > ')}
              </Link>
            ),
        },
        {
          title: t('Share'),
          hideTitle: true,
          cell: ({ tests, automated }) => (
            <div className="bar coverage-bar" aria-hidden="true">
              <span className="of-passed" style={{ flexGrow: automated }} />
              <span className="of-untested" style={{ flexGrow: tests - automated }} />
            </div>
          ),
        },
        {
          title: t('Automated'),
          isNumber: true,
          cell: ({ coverage: share }) => (share === null ? '–' : percentText(share)),
        },
        {
          title: t('Tests'),
          isNumber: true,
          cell: ({ tests, automated }) =>
            t('{automated} of {tests}', { automated: numberText(automated), tests: numberText(tests) }),
        },
        {
          title: t('By automation status'),
          cell: ({ byAutomationStatus }) => (
            <span className="note">
              {Object.entries(byAutomationStatus)
                .map(([status, count]) => `${numberText(count)} ${status === 'none' ? t('none') : status}`)
                .join(', ')}
            </span>
          ),
        },
      ]}
      names={noun('section')}
      pager={pager}
      empty={
        <Empty title={t('No test')}>
          <p>{t('The automation status of each test says whether it is automated.')}</p>
        </Empty>
      }
    />
  );
}
