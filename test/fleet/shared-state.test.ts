import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { compiled, requireBuilt, runTrivet, serveTrivet } from '../executable.ts';
import { startPostgres } from '../postgres.ts';
import type { Heard } from '../served.ts';
import { temporaryDirectory } from '../temporary.ts';
import { startFleet, type Fleet } from './servers.ts';

/*
 * State on which two processes over one PostgreSQL must agree. Mutation note: seen to fail when core/tools/idempotency.ts claims the key
 * after the work, and when a process that was not first keeps the key file that it made.
 */
requireBuilt();
setDefaultTimeout(120_000);

const fleet: Fleet = await startFleet(compiled);
await fleet.add(compiled);
afterAll(() => fleet.stop());
const [one, two] = fleet.servers.map((server) => fleet.at(server));
if (!one || !two) throw new Error('two servers are needed');

test('the same key at two processes at once: one project, one answer', async () => {
  for (let round = 0; round < 20; round++) {
    const key = { 'idempotency-key': `at-once-${round}` };
    const args = { orgId: 1, projectName: `at once ${round}` };
    const answers: Heard[] = await Promise.all(
      [one, two, one, two].map((server) => server.tool('create-project', args, key)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(new Set(answers.map(({ body }) => body['projectId'])).size).toBe(1);
  }
  const { projects } = await fleet.must('get-projects', { orgId: 1, limit: 500 });
  expect((projects as unknown[]).length).toBe(20);
});

test('a catalogue that one process changes is launched by the other within two seconds', async () => {
  const user = { 'auth-userid': '5', api_version: '1' };
  const rule = { stateToAction: {}, stateTransition: {}, actions: [] };
  const launched = async () => {
    const { body } = await two.post('/cta/active/state-machines/', {}, user);
    return (body['data'] as { ctas: ReadonlyArray<{ ctaId: string }> }).ctas.map(({ ctaId }) => ctaId);
  };
  for (let round = 0; round < 3; round++) {
    const { ctaId } = await one.must('create-cta', { name: `shared ${round}`, rule });
    await launched();
    await one.must('set-cta-status', { ctaId, status: 'LIVE' });
    await Bun.sleep(2_000);
    expect(await launched()).toContain(String(ctaId));
  }
});

test('a key that one process makes is published and accepted by the other', async () => {
  const keys = async (server: typeof one) => {
    const { body } = await server.get('/.well-known/jwks.json');
    return (body['keys'] as ReadonlyArray<{ kid: string }>).map(({ kid }) => kid).toSorted();
  };
  const asked = { responseType: 'token', grantType: 'id_token', idProvider: 'dev', resources: [] };
  const signIn = (server: typeof one) =>
    server.post('/v1/auth/social/authenticate', { ...asked, identifier: fleet.idToken });
  await signIn(one);
  const before = await keys(one);
  const { exitCode } = await runTrivet(compiled, ['keys', 'rotate', '--now', ...fleet.place], {
    env: { ...fleet.env },
  });
  expect(exitCode).toBe(0);
  for (let round = 0; round < 10; round++) {
    const [giver, taker] = round % 2 === 0 ? [one, two] : [two, one];
    const { body } = await signIn(giver);
    const bearer = { authorization: `Bearer ${String(body['accessToken'])}` };
    expect((await taker.get('/v1/auth/token/verify', bearer)).body).toEqual({ isAuthTokenValid: true });
    await Bun.sleep(300);
  }
  const after = await keys(two);
  expect(after).toEqual(await keys(one));
  expect(after).not.toEqual(before);
});

/** @see Finding: the second process kept a master.key that opens nothing, so each later start was refused. */
test('of two processes that start on an empty database with keys of their own one serves, and the other leaves no key', async () => {
  for (let round = 0; round < 3; round++) {
    const url = await (await startPostgres()).createDatabase();
    const directories = [temporaryDirectory('key'), temporaryDirectory('key')];
    const starts = await Promise.allSettled(
      directories.map((data) => serveTrivet(compiled, ['--database', url, '--data', data])),
    );
    const kept = directories.map((data) => existsSync(join(data, 'master.key')));
    expect(kept).toEqual(starts.map(({ status }) => status === 'fulfilled'));
    expect(kept.filter(Boolean)).toHaveLength(1);
    for (const start of starts) {
      if (start.status === 'fulfilled') await start.value.stop();
      else expect(String(start.reason)).toMatch(/master key.*master\.key/s);
    }
  }
});
