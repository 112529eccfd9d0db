import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { wholeRows } from '../../api/pages.ts';
import { useTool } from '../../api/queries.ts';
import { countText, numberText } from '../../design/amount.ts';
import { Pager } from '../../design/pager.tsx';
import { Answer, Empty } from '../../design/states.tsx';
import { usePaging } from '../../frame/paging.ts';
import { useAddress } from '../../frame/router.tsx';
import { defectsOfGroup, queryOfGroup, type FailureGroup } from './failure-group.ts';
import { FailureMessage } from './failure-message.tsx';
import { GroupActions } from './group-actions.tsx';
import './triage.css';
import { noun, t } from '../../texts/text.ts';

interface RunFailuresProps {
  readonly projectId: number;
  readonly runId: number;
  readonly mayWrite: boolean;
  /** Shows a test beside the groups. @returns whether the page has it. */
  readonly onTest: (testId: number) => boolean;
  /** The first one, while the address names no test. */
  readonly onFirst: (testId: number) => void;
}

const pageSize = 50;

/** The failing tests of a run by message: what failed many tests is looked at once. */
export function RunFailures({ projectId, runId, mayWrite, onTest, onFirst }: RunFailuresProps) {
  const [address] = useAddress();
  const { page, pager } = usePaging('groupOffset', pageSize);
  const found = useTool('get-failure-groups', { projectId, runId, ...page }, { keep: true });
  const defects = useTool('list-links', { projectId, runId, kind: 'defect', limit: 500 });
  const isWanted = useRef(!address.has('test'));
  const first = found.data && newFirst(found.data.groups, found.data.total)[0]?.first[0]?.testId;
  useEffect(() => {
    if (first === undefined || !isWanted.current) return;
    // Once: whoever chooses another test meanwhile keeps it.
    isWanted.current = false;
    onFirst(first);
  }, [first, onFirst]);
  return (
    <Answer of={found}>
      {({ groups, total }) =>
        total === 0 ? (
          <Empty title={t('Nothing failed')}>
            <p>{t('Failing tests of this run are grouped here by their messages.')}</p>
          </Empty>
        ) : (
          <div className="stack">
            <ul className="failure-groups" aria-label={t('Failures by message')}>
              {newFirst(groups, total).map((group) => (
                <Group
                  key={group.groupId ?? ''}
                  projectId={projectId}
                  runId={runId}
                  group={group}
                  defects={defectsOfGroup(group, defects.data?.links ?? [])}
                  mayWrite={mayWrite}
                  onTest={onTest}
                />
              ))}
            </ul>
            <Pager of={noun('group')} total={total} {...pager} />
          </div>
        )
      }
    </Answer>
  );
}

/** What is new stands first, where all groups are on the page. */
const newFirst = (groups: readonly FailureGroup[], total: number) =>
  total > groups.length
    ? groups
    : groups.toSorted((a, b) => Math.sign(b.newlyFailing) - Math.sign(a.newlyFailing));

interface GroupProps extends Omit<RunFailuresProps, 'onFirst'> {
  readonly group: FailureGroup;
  readonly defects: ReturnType<typeof defectsOfGroup>;
}

function Group({ projectId, runId, group, defects, mayWrite, onTest }: GroupProps) {
  const { count, newlyFailing, quarantined, first } = group;
  const address = `/projects/${projectId}/runs/${runId}`;
  return (
    <li className="failure-group of-failed stack tight">
      <div className="between">
        <div className="row">
          <strong>
            <Link href={`${address}?query=${encodeURIComponent(queryOfGroup(group))}`}>
              {countText(count, 'test')}
            </Link>
          </strong>
          {newlyFailing > 0 && (
            <span className="badge of-failed">
              {t('{newlyFailing} new', { newlyFailing: numberText(newlyFailing) })}
            </span>
          )}
          {quarantined > 0 && (
            <span className="badge">
              {t('{quarantined} in quarantine', { quarantined: numberText(quarantined) })}
            </span>
          )}
          {defects.map(({ linkId, key, url }) => (
            <span key={linkId} className="badge">
              {url === null ? (
                key
              ) : (
                <a href={url} target="_blank" rel="noopener noreferrer">
                  {key}
                </a>
              )}
            </span>
          ))}
        </div>
        {mayWrite && <GroupActions projectId={projectId} runId={runId} group={group} />}
      </div>
      <GroupMessage projectId={projectId} runId={runId} group={group} />
      <ul className="failure-tests" aria-label={t('Its tests')}>
        {first.map(({ testId, testName }) => (
          <li key={testId}>
            <Link
              href={`${address}?view=failures&test=${testId}`}
              onClick={(event) => {
                if (!(event.ctrlKey || event.metaKey || event.shiftKey) && onTest(testId))
                  event.preventDefault();
              }}
            >
              {testName}
            </Link>
          </li>
        ))}
        {count > first.length && (
          <li className="note">{t('and {count} more', { count: numberText(count - first.length) })}</li>
        )}
      </ul>
    </li>
  );
}

/** A group comes with the beginning of a message; a stack may be longer. */
const cutAt = 1_000;

/** The message of a group, once, and whole. */
function GroupMessage({ projectId, runId, group }: Pick<GroupProps, 'projectId' | 'runId' | 'group'>) {
  const { message, first } = group;
  const isCut = message !== null && message.length >= cutAt;
  const input = { projectId, runId, query: `id:${first[0]?.testId ?? 0}`, limit: 1 };
  const whole = useTool('get-run-tests-list', input, { enabled: isCut });
  if (message === null) return <p className="note">{t('Without a message')}</p>;
  return <FailureMessage text={wholeRows(whole.data?.tests ?? [])[0]?.comment ?? message} />;
}
