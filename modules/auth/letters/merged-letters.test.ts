import { afterAll, beforeAll, expect, test } from 'bun:test';
import { recipientOf } from '../../../core/letters/letter-address.ts';
import { startTestKernel, type TestKernel } from '../../../test/kernel.ts';
import { toolsOf } from '../../../test/tools.ts';

/* Two accounts of one person become one: what the person has switched off stays off, and links in older letters still work. */

let trivet: TestKernel;
let tools: Awaited<ReturnType<typeof toolsOf>>;
beforeAll(async () => {
  trivet = await startTestKernel();
  tools = await toolsOf(trivet);
});
afterAll(() => trivet.stop());

let people = 0;
async function person() {
  const { accessToken } = await trivet.signIn(`person${people++}@example.org`);
  const call = async (tool: string, input: object) =>
    (await trivet.post(`/api/tools/${tool}`, input, accessToken)).body;
  const { sub } = JSON.parse(atob(accessToken.split('.')[1] ?? '')) as { sub: string };
  const off = async () => {
    const { kinds } = (await call('get-letter-settings', {})) as {
      kinds: Array<{ kind: string; isOn: boolean }>;
    };
    return kinds.filter(({ isOn }) => !isOn).map(({ kind }) => kind);
  };
  return { userId: Number(sub), call, off };
}

const merge = (userId: number, duplicateId: number) => tools.call('merge-users', { userId, duplicateId });

test('what either account has switched off is off', async () => {
  const [kept, double] = [await person(), await person()];
  await kept.call('set-letter-setting', { kind: 'milestone-due', isOn: false });
  for (const kind of ['milestone-due', 'newly-failing'])
    await double.call('set-letter-setting', { kind, isOn: false });
  await merge(kept.userId, double.userId);
  expect((await kept.off()).toSorted()).toEqual(['milestone-due', 'newly-failing']);
  await kept.call('set-letter-setting', { kind: 'newly-failing', isOn: true });
  expect(await kept.off()).toEqual(['milestone-due']);
});

test('a link in a letter to the account that ended switches off those of the account that stays', async () => {
  const [first, kept, double] = [await person(), await person(), await person()];
  const link = trivet.kernel.host.letterEndLink(recipientOf({ userId: double.userId }), 'newly-failing');
  if (link === null) throw new Error('no link');
  await merge(kept.userId, double.userId);
  await merge(first.userId, kept.userId);
  const { pathname, search } = new URL(link);
  expect((await trivet.fetch(pathname + search, { method: 'POST' })).status).toBe(200);
  expect(await first.off()).toEqual(['newly-failing']);
});
