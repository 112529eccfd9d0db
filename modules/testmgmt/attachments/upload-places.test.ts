import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';

/* The server receives a few files at once. Whoever sends theirs slowly must not keep all others from attaching any. */
let trivet: TestmgmtKernel;
let projectId = 0;
let testIds: readonly number[] = [];
beforeAll(async () => {
  trivet = await startTestmgmtKernel();
  projectId = await trivet.makeProject();
  testIds = await trivet.makeTests(projectId, 16);
});
afterAll(() => trivet.stop());

const put = (token: string, testId: number | undefined, body: string | ReadableStream<Uint8Array>) =>
  trivet.fetch(`/api/attachments?projectId=${projectId}&testId=${testId}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}` },
    body,
  });

/** An upload that does not end before `finish`. */
function slowly(token: string, testId: number | undefined) {
  let finish = () => {};
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(new Uint8Array(70_000));
      finish = () => controller.close();
    },
    // It was refused.
    cancel: () => void (finish = () => {}),
  });
  const isTaken = put(token, testId, body).then(
    ({ ok }) => ok,
    // The server closes the connection instead of reading the rest.
    () => false,
  );
  return { isTaken, finish: () => finish() };
}

/** @see A person with four tokens took all sixteen places, and everybody else got 503. */
test('the places that one person takes with many tokens leave room for others', async () => {
  const tokens = await Promise.all(
    [1, 2, 3, 4].map(async (n) =>
      String((await trivet.call('create-access-token', { name: `t${n}`, scopes: ['extra'] }))['token']),
    ),
  );
  const { accessToken } = await trivet.signIn('other@example.org');
  const { code } = await trivet.call('invite-user', { orgId: 1 });
  await trivet.post('/api/tools/accept-invitation', { code }, accessToken);

  const held = testIds.map((testId, n) => slowly(tokens[n % 4] ?? '', testId));
  await Bun.sleep(100);
  const ofOther = await put(accessToken, testIds[0], 'a small file');
  for (const { finish } of held) finish();
  const taken = await Promise.all(held.map(({ isTaken }) => isTaken));
  expect(ofOther.status).toBe(200);
  expect(taken.filter(Boolean)).toHaveLength(4);
  expect((await put(tokens[3] ?? '', testIds[1], 'later')).status).toBe(200);
});
