import { Link } from 'wouter';
import { useTool } from '../../api/queries.ts';
import { countText, numberText } from '../../design/amount.ts';
import { Answer } from '../../design/states.tsx';
import { Table } from '../../design/table.tsx';
import { defectsOfGroup } from '../triage/failure-group.ts';
import { knownGroupsFirst } from './known-groups.ts';
import { t } from '../../texts/text.ts';

interface RunIssuesProps {
  readonly projectId: number;
  readonly runId: number;
  readonly failed: number;
}

/** Groups that are shown: the first printed page has room for them. */
const shownGroups = 8;

/** What fails in a run, with its issues: what has one stands first. */
export function RunIssues({ projectId, runId, failed }: RunIssuesProps) {
  const enabled = failed > 0;
  const found = useTool('get-failure-groups', { projectId, runId, limit: 50 }, { enabled });
  const defects = useTool('list-links', { projectId, runId, kind: 'defect', limit: 500 }, { enabled });
  if (!enabled) return null;
  return (
    <section className="stack tight" aria-label={t('Failures')}>
      <h2>{t('What fails')}</h2>
      <Answer of={found}>
        {({ groups, total }) => {
          const rows = knownGroupsFirst(
            groups.map((group) => ({ ...group, defects: defectsOfGroup(group, defects.data?.links ?? []) })),
          ).slice(0, shownGroups);
          return (
            <>
              <Table
                label={t('Failures with their issues')}
                rows={rows}
                keyOf={({ groupId }) => groupId ?? ''}
                columns={[
                  {
                    title: t('Issue'),
                    cell: ({ defects: known }) =>
                      known.length === 0
                        ? defects.data && <span className="note">{t('none yet')}</span>
                        : known.map(({ linkId, key, url }) =>
                            url === null ? (
                              <span key={linkId}>{key} </span>
                            ) : (
                              <a key={linkId} href={url} target="_blank" rel="noopener noreferrer">
                                {key}{' '}
                              </a>
                            ),
                          ),
                  },
                  { title: t('Tests'), isNumber: true, cell: ({ count }) => numberText(count) },
                  {
                    title: t('Message'),
                    cell: ({ message, first }) => (
                      <Link
                        href={`/projects/${projectId}/runs/${runId}?view=failures&test=${first[0]?.testId ?? ''}`}
                      >
                        <span className="overview-message">
                          {message?.split('\n')[0] ?? first.map(({ testName }) => testName).join(', ')}
                        </span>
                      </Link>
                    ),
                  },
                ]}
              />
              {total > rows.length && (
                <p className="note">
                  <Link href={`/projects/${projectId}/runs/${runId}?view=failures`}>
                    {t('All {causes}', { causes: countText(total, 'cause') })}
                  </Link>
                </p>
              )}
            </>
          );
        }}
      </Answer>
    </section>
  );
}
