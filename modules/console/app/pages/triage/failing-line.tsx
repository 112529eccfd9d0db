import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { useRefresh, useTool } from '../../api/queries.ts';
import { failingText } from './failing-words.ts';
import './triage.css';

interface FailingLineProps {
  readonly projectId: number;
  readonly runId: number;
  /** How many fail, as the page has it now. */
  readonly failed: number;
}

/** Results that come together are asked about once. */
const settleMs = 500;

/** How often the server is asked for one number: a result may be on its way to it, or be told of before the causes are found. */
const mostAsked = 4;

const refreshed = ['get-failure-groups'] as const;

/** How many tests of a run fail and how many of them are new: the way to their causes. */
export function FailingLine({ projectId, runId, failed }: FailingLineProps) {
  const refresh = useRefresh(refreshed);
  const latest = useRef(refresh);
  latest.current = refresh;
  const input = { projectId, runId, limit: 1 };
  const { data, dataUpdatedAt } = useTool('get-failure-groups', input, { enabled: failed > 0, keep: true });
  const isBehind = data !== undefined && data.failing !== failed;
  const asked = useRef({ failed, times: 0 });
  useEffect(() => {
    if (asked.current.failed !== failed) asked.current = { failed, times: 0 };
    if (!isBehind || asked.current.times >= mostAsked) return undefined;
    const timer = setTimeout(() => {
      asked.current.times++;
      latest.current({ projectId });
    }, settleMs);
    return () => clearTimeout(timer);
  }, [failed, isBehind, dataUpdatedAt, projectId]);
  if (failed === 0) return null;
  const first = data?.groups[0]?.first[0];
  return (
    <Link
      className="failing-line"
      href={`/projects/${projectId}/runs/${runId}?view=failures${first ? `&test=${first.testId}` : ''}`}
    >
      {failingText(failed, data)}
    </Link>
  );
}
