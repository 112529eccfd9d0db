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

const refreshed = ['get-failure-groups'] as const;

/** How many tests of a run fail and how many of them are new: the way to their causes. */
export function FailingLine({ projectId, runId, failed }: FailingLineProps) {
  const refresh = useRefresh(refreshed);
  const latest = useRef(refresh);
  latest.current = refresh;
  const input = { projectId, runId, limit: 1 };
  const { data } = useTool('get-failure-groups', input, { enabled: failed > 0, keep: true });
  const asked = useRef(failed);
  useEffect(() => {
    if (asked.current === failed) return undefined;
    const timer = setTimeout(() => {
      asked.current = failed;
      latest.current({ projectId });
    }, settleMs);
    return () => clearTimeout(timer);
  }, [failed, projectId]);
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
