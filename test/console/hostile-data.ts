import type { ConsoleWorld } from './world.ts';

/** Runs a script wherever a page puts it into HTML, an address or a style; and a word that is wider than a telephone. */
export const hostile =
  '<img src=x onerror=alert(1)><script>alert(2)</script>"\'><svg onload=alert(3)> [x](javascript:alert(4)) ![y](https://evil.example/y.png) ${alert(5)} {{7*7}} =cmd|1 ' +
  'CheckoutService'.repeat(5);

const short = hostile.slice(0, 250);

/** A project and CTAs in which every text that a tool can write is hostile. @returns their ids. */
export async function writeHostileData(world: ConsoleWorld) {
  const { projectId } = await world.must('create-project', {
    orgId: 1,
    projectName: short,
    projectDescription: hostile,
  });
  const { sectionId } = await world.must('add-section', { projectId, sectionName: short });
  const { labels } = await world.must('add-labels', { projectId, labels: [short] });
  const { squads } = await world.must('add-squads', { projectId, squads: [short] });
  await world.must('add-classification', { projectId, kind: 'priority', names: [short] });
  const { testId } = await world.must('create-test', {
    projectId,
    testName: short,
    testDescription: hostile,
    preconditions: hostile,
    sectionId,
    labels: (labels as Array<{ labelId: number }>).map(({ labelId }) => labelId),
    squadId: (squads as Array<{ squadId: number }>)[0]?.squadId,
    steps: [{ action: hostile, data: hostile, expected: hostile }],
  });
  const csv = `testName,testDescription,section\n"${short.replaceAll('"', '""')}","${hostile.replaceAll('"', '""')}",From a file\n`;
  await world.must('import-tests', { projectId, content: csv });
  const { runId } = await world.must('create-run', {
    projectId,
    runName: short,
    runDescription: hostile,
    testIds: [testId],
  });
  await world.must('run-update-test-status', {
    projectId,
    runId,
    testResults: [{ testId, status: 'failed', comment: hostile }],
  });
  const { milestoneId } = await world.must('create-milestone', {
    projectId,
    name: short,
    description: hostile,
  });
  await world.must('create-configuration-group', { projectId, name: short, values: [short, 'b'] });
  const { plan } = await world.must('create-plan', {
    projectId,
    name: short,
    description: hostile,
    milestoneId,
    entries: [{ testIds: [testId], configurations: 'all' }],
  });
  const escaped = Bun.escapeHTML(hostile);
  const upload = (runKey: string) =>
    world.must('ingest-results', {
      projectId,
      runKey,
      runName: short,
      create: true,
      branch: short,
      workflow: short,
      jobUrl: `https://evil.example/"><script>alert(6)</script>`,
      files: [
        {
          name: 'hostile.xml',
          content: `<testsuite name="${escaped}"><testcase classname="${escaped}" name="${escaped}" file="${escaped}"><failure message="${escaped}">${escaped}</failure><system-out>${escaped}</system-out></testcase></testsuite>`,
        },
      ],
    });
  // A run is compared with the previous one of the same branch and pipeline.
  await upload('before');
  const reported = await upload(short);
  await world.must('create-behaviour-tag', { behaviourTagName: short });
  await world.must('create-cohort', {
    cohortName: short,
    kind: 'list',
    description: hostile,
    userIds: ['1'],
  });
  const rule = {
    stateToAction: { '1': short },
    stateTransition: { [short]: { '0': [{ transitionTo: '1' }] } },
    actions: [
      {
        actionId: short,
        type: 'POPUP',
        template: { title: hostile, text: hostile, url: 'javascript:alert(7)' },
      },
    ],
  };
  const { ctaId } = await world.must('create-cta', {
    name: short,
    description: hostile,
    team: short,
    tags: [short],
    behaviourTagName: short,
    rule,
  });
  await world.must('create-nudge-preview', {
    template: JSON.stringify({ title: hostile, message: hostile, image: 'javascript:alert(8)' }),
  });
  const planId = (plan as { planId: number }).planId;
  const { reviewId } = await world.must('propose-test-change', {
    projectId,
    testId,
    set: {
      testName: `${short.slice(0, 200)} x`,
      testDescription: `${hostile} x`,
      preconditions: null,
      steps: [{ action: hostile, data: `${hostile} x`, expected: hostile }],
      sectionId: null,
    },
    comment: hostile,
  });
  return { projectId, testId, runId, reportedRunId: reported['runId'], planId, ctaId, reviewId };
}
