import { SQL } from 'bun';
import type { Server } from './compare.ts';

/** The data for bench/scale.ts: CTAs, users with states, a project with a run of all its tests. */
export const eligible = 40;
export const testsOfProject = 5_000;

const begunAt = Date.now() - 86_400_000;
export const machine = (at: number) => ({ currentState: '1', lastTransitionAt: at, createdAt: begunAt });

/** The state of a user who has met five of the CTAs, as Trivet stores it. */
const stateOf = (user: number) =>
  JSON.stringify({
    version: 2,
    ctas: Object.fromEntries(
      [0, 7, 14, 21, 28].map((step) => [
        String(((user + step) % eligible) + 1),
        {
          machines: { default: machine(begunAt + step) },
          resetAt: { marks: [] },
          actionDoneAt: { marks: [begunAt + step] },
        },
      ]),
    ),
    tags: {},
  });

/** @throws when the response is not a success. */
export async function post(
  server: Server,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<unknown> {
  const response = await fetch(`${server.origin}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return response.json();
}

/** Creates CTAs, a project with a run of all its tests, and users with states. @returns the ids of the tests. */
export async function fill(
  server: Server,
  authorization: string,
  { url, users }: { readonly url: string; readonly users: number },
): Promise<readonly number[]> {
  const call = async <T>(tool: string, args: object): Promise<T> =>
    (await post(server, `/api/tools/${tool}`, args, { authorization })) as T;
  for (let i = 1; i <= eligible; i++) {
    const rule = {
      priority: i,
      stateTransition: {
        cart_viewed: { 0: [{ transitionTo: '1' }] },
        closed: { 1: [{ transitionTo: '2' }] },
      },
      stateToAction: { 1: 'show' },
      resetStates: ['2'],
      actions: [
        { actionId: 'show', type: 'POPUP', template: { title: `Offer ${i}`, body: 'x'.repeat(200) } },
      ],
      frequency: { lifeSpan: { limit: 3 }, session: { limit: 1 } },
    };
    const { ctaId } = await call<{ ctaId: string }>('create-cta', { name: `Offer ${i}`, rule });
    await call('set-cta-status', { ctaId, status: 'LIVE' });
  }
  const { projectId } = await call<{ projectId: number }>('create-project', {
    orgId: 1,
    projectName: 'Bench',
  });
  const names = { projectId, labels: ['smoke', 'slow'] };
  const { labels } = await call<{ labels: Array<{ labelId: number }> }>('add-labels', names);
  const labelIds = labels.map(({ labelId }) => labelId);
  const section = async (more: object) =>
    (await call<{ sectionId: number }>('add-section', { projectId, ...more })).sectionId;
  const parentSectionId = await section({ sectionName: 'Checkout' });
  const sectionId = await section({ sectionName: 'Payment', parentSectionId });
  const tests = Array.from({ length: testsOfProject }, (_, n) => ({
    testName: `Test ${n}`,
    sectionId,
    labels: labelIds,
  }));
  const added = await call<{ tests: Array<{ testId: number }> }>('bulk-add-tests', { projectId, tests });
  const testIds = added.tests.map(({ testId }) => testId);
  await call('create-run', { projectId, runName: 'Nightly', testIds });

  const client = new SQL(url, { max: 1 });
  for (let at = 0; at < users; at += 2_000) {
    const some = Array.from({ length: Math.min(2_000, users - at) }, (_, n) => at + n);
    const rows = some.map((user) => ({
      tenant_id: 'default',
      user_id: String(user),
      state: stateOf(user),
      updated_at: String(begunAt),
    }));
    await client`INSERT INTO cta_user_states ${client(rows)}`;
  }
  await client`VACUUM ANALYZE`;
  await client.end();
  return testIds;
}
