import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Query } from '../../../core/db/query/db.ts';
import { meanwhile } from '../../../test/meanwhile.ts';
import { deleteAttachmentRow } from '../attachments/attachment-store.ts';
import { requireOpenMilestone } from '../milestones/milestone-store.ts';
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
