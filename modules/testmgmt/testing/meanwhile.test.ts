import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Query } from '../../../core/db/query/db.ts';
import { localExecutor } from '../../../core/tools/local-executor.ts';
import { meanwhile } from '../../../test/meanwhile.ts';
import { deleteAttachmentRow } from '../attachments/attachment-store.ts';
import { deleteTests } from '../cases/case-write-store.ts';
import { requireOpenMilestone } from '../milestones/milestone-store.ts';
import { projectToChange } from '../projects/project-store.ts';
import { changeRun } from '../runs/run-store.ts';
import { deleteSavedView } from '../saved-views/saved-view-store.ts';
import { deleteShareLink } from '../sharing/share-link-store.ts';
import { startTestmgmtKernel, type TestmgmtKernel } from './testmgmt-kernel.ts';

/* A call beside a transaction of another process that is about to commit. What the call has read by then must still hold when it writes. */

let trivet: TestmgmtKernel;
let projectId: number;
let testIds: readonly number[];
beforeAll(async () => {
  trivet = await startTestmgmtKernel();
  projectId = await trivet.makeProject();
  testIds = await trivet.makeTests(projectId, 1);
});
afterAll(() => trivet.stop());

const call = (tool: string, args: object) => trivet.call(tool, { projectId, ...args });
const beside = <T>(change: (q: Query) => Promise<unknown>, ask: () => Promise<T>): Promise<T> =>
  meanwhile(trivet.kernel.host.db, change, ask);

test('a run that gets a milestone while that is deleted has none', async () => {
  const milestoneId = Number((await call('create-milestone', { name: 'gone' }))['milestoneId']);
  const runId = await trivet.makeRun(projectId, testIds);
  const edited = async (q: Query) => {
    await requireOpenMilestone(q, projectId, milestoneId);
    await changeRun(q, runId, { milestoneId }, { by: 1, now: 1 });
  };
  expect(await beside(edited, () => call('delete-milestone', { milestoneId }))).toMatchObject({ runs: 1 });
  expect(await call('run-detail', { runId })).toMatchObject({ milestoneId: null });
});

const view = { surface: 'tests', name: 'Red', query: 'last:failed', shared: true };
type Made = Readonly<Record<string, unknown>>;
const viewOf = (made: Made) => ({ viewId: made['viewId'] });
const file = { fileName: 'a.txt', base64: 'YWE=' };

test.each<
  readonly [
    string,
    tool: string,
    make: readonly [string, () => object],
    change: (q: Query, made: Made) => Promise<unknown>,
    asked: (made: Made) => object,
    code: string | undefined,
  ]
>([
  [
    'a view is deleted once',
    'delete-view',
    ['save-view', () => view],
    (q, made) => deleteSavedView(q, Number(made['viewId'])),
    viewOf,
    'VIEW_NOT_FOUND',
  ],
  [
    'a view that was just deleted is not changed',
    'save-view',
    ['save-view', () => view],
    (q, made) => deleteSavedView(q, Number(made['viewId'])),
    (made) => ({ projectId, ...view, ...viewOf(made), name: 'Blue' }),
    'VIEW_NOT_FOUND',
  ],
  [
    'a view that was just deleted is saved anew under its name',
    'save-view',
    ['save-view', () => view],
    (q, made) => deleteSavedView(q, Number(made['viewId'])),
    () => ({ projectId, ...view, query: 'has:steps' }),
    undefined,
  ],
  [
    'a link to a report ends once',
    'revoke-share-link',
    ['create-share-link', () => ({})],
    (q, made) => deleteShareLink(q, Number(made['shareLinkId'])),
    (made) => ({ shareLinkId: made['shareLinkId'] }),
    'SHARE_LINK_NOT_FOUND',
  ],
  [
    'an attachment is deleted once',
    'delete-attachment',
    ['add-attachment', () => ({ testId: testIds[0], ...file })],
    (q, made) => deleteAttachmentRow(q, Number(made['attachmentId'])),
    (made) => ({ projectId, attachmentId: made['attachmentId'] }),
    'ATTACHMENT_NOT_FOUND',
  ],
])('%s', async (_, tool, [make, given], change, asked, code) => {
  const made = await call(make, given());
  const refusal = await beside(
    (q) => change(q, made),
    () => trivet.refusal(tool, asked(made)),
  );
  expect(refusal?.code).toBe(code as never);
});

/** @see Of a keyed upload, which is one transaction, the tests stayed that were added before one was found to be gone, and were not counted. */
test.each([{}, { idempotencyKey: 'upload-1' }])(
  'an upload %j beside the deletion of one of its tests',
  async (keyed) => {
    const project = await trivet.makeProject();
    const content = `<testsuite name="s">${['a', 'b', 'c', 'd'].map((name) => `<testcase name="${name}"/>`).join('')}</testsuite>`;
    const upload = (runKey: string) => ({
      projectId: project,
      runKey,
      create: runKey === 'first',
      files: [{ name: 'a.xml', content }],
    });
    await trivet.call('ingest-results', upload('first'));
    const { tests } = await trivet.call('get-tests', { projectId: project });
    const last = (tests as Array<{ testId: number }>).at(-1)?.testId ?? 0;
    const { signal } = new AbortController();
    const deleted = async (q: Query) => {
      await projectToChange(q, trivet.owner, project);
      await deleteTests(q, project, [last], { by: 1, now: 1, signal });
    };
    const ask = () =>
      localExecutor(trivet.kernel, trivet.owner, {}).call('ingest-results', upload('second'), {
        signal,
        ...keyed,
      });
    const { runId } = (await meanwhile(trivet.kernel.host.db, deleted, ask)) as { runId: number };
    expect(await trivet.call('run-detail', { projectId: project, runId })).toMatchObject({
      counts: { total: 3, passed: 3, untested: 0 },
    });
    expect(await trivet.wrongCounts()).toEqual([]);
  },
);
