import { useQueries } from '@tanstack/react-query';
import type { CtaStatus } from '../../../../cta/rules/lifecycle.ts';
import { call } from '../../api/call.ts';
import { useTool } from '../../api/queries.ts';
import { numberText, shareText } from '../../design/amount.ts';
import { objectOf, textsOf, valueAt } from '../rule-editor/json-path.ts';
import { clickedText } from './clicked-text.ts';
import { countedCohorts, eligibleText } from './eligible-text.ts';

interface Listed {
  readonly ctaId: string;
  readonly tenantId: string;
  readonly status: CtaStatus;
}

/** Nobody has got a CTA that was never live. */
const wasLive = (status: CtaStatus): boolean => status !== 'DRAFT' && status !== 'SCHEDULED';

const useFigures = ({ ctaId, status }: Listed) =>
  useTool('get-cta-metrics', { ctaId }, { enabled: wasLive(status) }).data;

/** How many users saw a CTA, or acted. */
export function UserFigure({ figure, ...cta }: Listed & { readonly figure: 'saw' | 'acted' }) {
  const users = useFigures(cta)?.users;
  return <>{users === undefined ? '–' : numberText(users[figure])}</>;
}

/** How many users clicked, and their share of those who saw it: the CTR. */
export function Clicked(cta: Listed) {
  const users = useFigures(cta)?.users;
  return <>{users === undefined ? '–' : clickedText(users)}</>;
}

/** How many users reached the first goal of a CTA, and their share of those whom it reached. */
export function Converted(cta: Listed) {
  const figures = useFigures(cta);
  const [goal] = figures?.goals ?? [];
  if (!figures?.users || !goal) return <>–</>;
  const reached = Math.max(figures.users.saw, figures.users.acted);
  const count = numberText(goal.conversions);
  return (
    <span title={goal.name}>
      {reached === 0 ? count : `${count} (${shareText(goal.conversions, reached)})`}
    </span>
  );
}

/** How many users the cohorts of a CTA have. */
export function Eligible({ ctaId, tenantId }: Listed) {
  const cta = useTool('get-cta', { ctaId });
  const rule = objectOf(cta.data?.rule);
  const cohorts = (name: string) => textsOf(valueAt(rule, ['cohortEligibility', name]));
  const [includes, excludes] = [countedCohorts(cohorts('includes')), cohorts('excludes')];
  const counts = useQueries({
    queries: includes.map((cohortName) => ({
      queryKey: ['count-cohort-users', { tenantId, cohortName }],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        call('count-cohort-users', { tenantId, cohortName }, signal),
      staleTime: 60_000,
    })),
  });
  if (cta.data === undefined) return <>–</>;
  return (
    <>
      {eligibleText(
        counts.map(({ data }) => data?.matching),
        excludes.length > 0,
      )}
    </>
  );
}
