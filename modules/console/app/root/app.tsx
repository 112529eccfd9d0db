import { lazy, Suspense, type ReactNode } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { ownMemory } from '../api/browser-store.ts';
import { speakFor } from '../api/call.ts';
import { ownDrafts } from '../api/draft-store.ts';
import { useMe } from '../api/queries.ts';
import { Failure, PageLoading, Page } from '../design/states.tsx';
import { HomePage } from '../pages/home/home-page.tsx';
import { PageBoundary } from './page-boundary.tsx';
import { idOf } from '../frame/router.tsx';
import { Shell } from './shell.tsx';
import { t } from '../texts/text.ts';

/* One file per page: a browser loads only what it shows. */
const TestsPage = lazy(() => import('../pages/tests/tests-page.tsx'));
const OverviewPage = lazy(() => import('../pages/overview/overview-page.tsx'));
const RunsPage = lazy(() => import('../pages/runs/runs-page.tsx'));
const RunPage = lazy(() => import('../pages/runs/run-page.tsx'));
const MilestonesPage = lazy(() => import('../pages/planning/milestones-page.tsx'));
const PlansPage = lazy(() => import('../pages/planning/plans-page.tsx'));
const PlanPage = lazy(() => import('../pages/planning/plan-page.tsx'));
const MyWorkPage = lazy(() => import('../pages/planning/my-work-page.tsx'));
const InsightsPage = lazy(() => import('../pages/insights/insights-page.tsx'));
const CoveragePage = lazy(() => import('../pages/coverage/coverage-page.tsx'));
const ReviewsPage = lazy(() => import('../pages/reviews/reviews-page.tsx'));
const ReviewPage = lazy(() => import('../pages/reviews/review-page.tsx'));
const ProjectSettingsPage = lazy(() => import('../pages/projects/project-settings-page.tsx'));
const CtasPage = lazy(() => import('../pages/ctas/ctas-page.tsx'));
const CtaPage = lazy(() => import('../pages/ctas/cta-page.tsx'));
const CohortsPage = lazy(() => import('../pages/cohorts/cohorts-page.tsx'));
const TagsPage = lazy(() => import('../pages/tags/tags-page.tsx'));
const TryPage = lazy(() => import('../pages/try/try-page.tsx'));
const PreviewsPage = lazy(() => import('../pages/previews/previews-page.tsx'));
const PeoplePage = lazy(() => import('../pages/administration/people-page.tsx'));
const TokensPage = lazy(() => import('../pages/administration/tokens-page.tsx'));
const SessionsPage = lazy(() => import('../pages/administration/sessions-page.tsx'));
const LettersPage = lazy(() => import('../pages/letters/letters-page.tsx'));
const AuditPage = lazy(() => import('../pages/administration/audit-page.tsx'));
const SettingsPage = lazy(() => import('../pages/administration/settings-page.tsx'));
const HealthPage = lazy(() => import('../pages/administration/health-page.tsx'));
const DesignPage = lazy(() => import('../pages/design/design-page.tsx'));

const Missing = () => (
  <Page title={t('There is no such page')}>
    <p>{t('The address is wrong, or what stood here is gone.')}</p>
  </Page>
);

interface Params {
  readonly [name: string]: string | undefined;
}

/** A page of a project: only with a number in the address. */
const ofProject = (show: (projectId: number, params: Params) => ReactNode) =>
  function OfProject(params: Params) {
    const projectId = idOf(params['project']);
    return projectId === null ? <Missing /> : show(projectId, params);
  };

const tests = ofProject((projectId, { test }) => (
  <TestsPage key={projectId} projectId={projectId} testId={idOf(test)} />
));
// The address of a page without its last part, as people shorten it.
const toOverview = ofProject((projectId) => <Redirect to={`/projects/${projectId}/overview`} replace />);
const overview = ofProject((projectId) => <OverviewPage key={projectId} projectId={projectId} />);
const runs = ofProject((projectId) => <RunsPage key={projectId} projectId={projectId} />);
const run = ofProject((projectId, params) => {
  const runId = idOf(params['run']);
  return runId === null ? <Missing /> : <RunPage key={runId} projectId={projectId} runId={runId} />;
});
const milestones = ofProject((projectId) => <MilestonesPage key={projectId} projectId={projectId} />);
const plans = ofProject((projectId) => <PlansPage key={projectId} projectId={projectId} />);
const plan = ofProject((projectId, params) => {
  const planId = idOf(params['plan']);
  return planId === null ? <Missing /> : <PlanPage key={planId} projectId={projectId} planId={planId} />;
});
const myWork = ofProject((projectId) => <MyWorkPage key={projectId} projectId={projectId} />);
const insights = ofProject((projectId) => <InsightsPage key={projectId} projectId={projectId} />);
const coverage = ofProject((projectId) => <CoveragePage key={projectId} projectId={projectId} />);
const reviews = ofProject((projectId) => <ReviewsPage key={projectId} projectId={projectId} />);
const review = ofProject((projectId, params) => {
  const reviewId = idOf(params['review']);
  return reviewId === null ? (
    <Missing />
  ) : (
    <ReviewPage key={reviewId} projectId={projectId} reviewId={reviewId} />
  );
});
const projectSettings = ofProject((projectId) => (
  <ProjectSettingsPage key={projectId} projectId={projectId} />
));
const cta = (params: Params) => {
  const ctaId = idOf(params['cta']);
  return ctaId === null ? <Missing /> : <CtaPage key={ctaId} ctaId={String(ctaId)} />;
};

/** Every page with its address. The addresses do not change: people keep links to them. */
export function App() {
  const me = useMe();
  const [path] = useLocation();
  if (me.error && !me.data) return <Failure error={me.error} onRetry={() => void me.refetch()} />;
  if (!me.data) return <PageLoading />;
  speakFor(me.data.userId);
  ownDrafts(me.data.userId);
  ownMemory(me.data.userId);
  return (
    <Shell me={me.data}>
      <PageBoundary address={path}>
        <Suspense fallback={<PageLoading />}>
          <Switch>
            <Route path="/" component={HomePage} />
            <Route path="/projects">
              <Redirect to="/" />
            </Route>
            <Route path="/projects/:project">{toOverview}</Route>
            <Route path="/projects/:project/tests/:test?">{tests}</Route>
            <Route path="/projects/:project/overview">{overview}</Route>
            <Route path="/projects/:project/runs">{runs}</Route>
            <Route path="/projects/:project/runs/:run">{run}</Route>
            <Route path="/projects/:project/milestones">{milestones}</Route>
            <Route path="/projects/:project/plans">{plans}</Route>
            <Route path="/projects/:project/plans/:plan">{plan}</Route>
            <Route path="/projects/:project/my-work">{myWork}</Route>
            <Route path="/projects/:project/insights">{insights}</Route>
            <Route path="/projects/:project/coverage">{coverage}</Route>
            <Route path="/projects/:project/reviews">{reviews}</Route>
            <Route path="/projects/:project/reviews/:review">{review}</Route>
            <Route path="/projects/:project/settings">{projectSettings}</Route>
            <Route path="/ctas" component={CtasPage} />
            <Route path="/ctas/:cta">{cta}</Route>
            <Route path="/cohorts" component={CohortsPage} />
            <Route path="/behaviour-tags" component={TagsPage} />
            <Route path="/try" component={TryPage} />
            <Route path="/previews" component={PreviewsPage} />
            <Route path="/people" component={PeoplePage} />
            <Route path="/tokens" component={TokensPage} />
            <Route path="/sessions" component={SessionsPage} />
            <Route path="/letters" component={LettersPage} />
            <Route path="/audit" component={AuditPage} />
            <Route path="/settings" component={SettingsPage} />
            <Route path="/health" component={HealthPage} />
            <Route path="/design" component={DesignPage} />
            <Route component={Missing} />
          </Switch>
        </Suspense>
      </PageBoundary>
    </Shell>
  );
}
