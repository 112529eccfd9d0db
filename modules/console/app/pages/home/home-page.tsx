import { Link } from 'wouter';
import { useMe } from '../../api/queries.ts';
import { Icon } from '../../design/marks/icon.tsx';
import { Empty, Loading, Page } from '../../design/states.tsx';
import { useMay, useProjects } from '../../frame/organizations.ts';
import { ProjectList } from '../projects/project-list.tsx';
import { firstSteps, type FirstStep } from './first-steps.ts';
import { HomeCtas } from './home-ctas.tsx';
import { HomeFailing } from './home-failing.tsx';
import { HomeRuns, useHomeRuns } from './home-runs.tsx';
import './home.css';
import { t } from '../../texts/text.ts';

/** What waits for the person: their tests, the open runs, the live CTAs, and all projects. */
export function HomePage() {
  const me = useMe().data;
  const mayWrite = useMay('member');
  const known = useProjects();
  const { projects } = known;
  const runs = useHomeRuns(projects);
  if (me?.organizations.length === 0)
    return (
      <Page title={t('Home')}>
        <Empty title={t('You belong to no organization yet')}>
          <p>{t('Ask an administrator for an invitation link.')}</p>
        </Empty>
      </Page>
    );
  // The first steps stand above the projects: coming later, they would move "Create project" away under the pointer.
  if (known.isLoading)
    return (
      <Page title={t('Home')}>
        <Loading />
      </Page>
    );
  const steps = firstSteps(
    projects,
    runs.found.some(({ counts }) => counts.untested < counts.total),
  );
  const isNew = !runs.isLoading && mayWrite && steps.some(({ isDone }) => !isDone);
  return (
    <Page title={t('Home')}>
      {isNew && <FirstSteps of={steps} />}
      <HomeFailing projects={projects} />
      <HomeRuns of={runs} />
      {me?.modules.includes('cta') && <HomeCtas />}
      {me?.modules.includes('testmgmt') && <ProjectList of={known} />}
    </Page>
  );
}

/** The way of the first day. */
const FirstSteps = ({ of }: { readonly of: readonly FirstStep[] }) => (
  <section className="card stack" aria-label={t('First steps')}>
    <h2>{t('First steps')}</h2>
    <ol className="first-steps">
      {of.map(({ id, name, isDone, to }) => (
        <li key={id} className={isDone ? 'done' : undefined}>
          <span className="first-step-mark">{isDone && <Icon of="check" size={12} />}</span>
          {isDone || to === null ? <span>{name}</span> : <Link href={to}>{name}</Link>}
          {isDone && <span className="hidden-visually">{t(', done')}</span>}
        </li>
      ))}
    </ol>
  </section>
);
