import { afterAll, describe, expect, test } from 'bun:test';
import postgres from 'postgres';
import { deltaWriter, sessionWriter, testWriter, type Writer } from '../crash/writers.ts';
import { compiled, requireBuilt, runTrivet } from '../executable.ts';
import { liveCta } from '../served.ts';
import { releasedVersion, releasedVersions } from '../upgrade/released.ts';
import { randomFrom, seed } from '../verify/scale.ts';
import { startFleet, type Fleet } from './servers.ts';

/*
 * Rolling upgrade over PostgreSQL, with the released version as N and this one as N+1, while clients of all areas work: N serves, N+1
 * starts and migrates, both serve, N is restarted, N stops. No client sees an error, and nothing acknowledged is lost.
 *
 * Mutation note: seen to fail when a migration since 0.1.0 is recorded under its bare name (0.1.0 does not start again), and when the
 * migrator drops a column that 0.1.0 writes.
 */
requireBuilt();
const fleets: Fleet[] = [];
afterAll(async () => {
  for (const fleet of fleets) await fleet.stop();
});

test('there is a released version', () => expect(releasedVersions).toContain('0.1.0'));

describe.each(releasedVersions.map((version) => [version] as const))('%s and this version', (version) => {
  test('serve one after the other, and beside each other, as one', async () => {
    const released = releasedVersion(version);
    const fleet = await startFleet(released);
    fleets.push(fleet);
    const [old] = fleet.servers;
    if (!old) throw new Error('no server');
    const ctaId = await liveCta(fleet);
    const random = randomFrom(seed);
    const writers: readonly Writer[] = [
      await testWriter(fleet, random, 'rolling-1'),
      await testWriter(fleet, random, 'rolling-2'),
      ...['1', '2', '3'].map((user) => deltaWriter(fleet, ctaId, user, Date.now)),
      await sessionWriter(fleet, 'session 1'),
      await sessionWriter(fleet, 'session 2'),
    ];
    let over = false;
    const writing = Promise.all(writers.map((writer) => writer.write(() => over)));
    const phases: Array<readonly [string, number]> = [];
    const phase = async (name: string, ms: number) => {
      const before = writers.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
      await Bun.sleep(ms);
      phases.push([name, writers.reduce((sum, { acknowledged }) => sum + acknowledged, 0) - before]);
    };

    await phase('the released version', 1_000);
    const young = await fleet.add(compiled);
    expect(young.stderr()).toContain('"event":"migrated"');
    await phase('both', 3_000);
    await crossed(fleet);
    const again = await fleet.add(released);
    await phase('the released version, started again', 1_000);
    expect(await fleet.remove(old)).toBe(0);
    expect(await fleet.remove(again)).toBe(0);
    await phase('this version', 1_000);
    over = true;
    await writing;

    expect(fleet.failures).toEqual([]);
    expect((await Promise.all(writers.map((writer) => writer.verify()))).flat()).toEqual([]);
    expect(phases.filter(([, count]) => count < 10)).toEqual([]);
    expect(await doctor(fleet)).toBe(0);
    await auditAgrees(fleet);
  }, 120_000);
});

/** Credentials issued by one version work at the other, in both directions. */
async function crossed(fleet: Fleet): Promise<void> {
  const [one, two] = fleet.servers.map((server) => fleet.at(server));
  if (!one || !two) throw new Error('two servers are needed');
  let number = 0;
  for (const [giver, taker] of [
    [one, two],
    [two, one],
  ] as const) {
    const asked = { responseType: 'token', grantType: 'id_token', idProvider: 'dev', resources: [] };
    const signedIn = await giver.post('/v1/auth/social/authenticate', {
      ...asked,
      identifier: fleet.idToken,
    });
    expect(signedIn.status).toBe(200);
    let { accessToken, refreshToken } = signedIn.body;
    // A chain of refreshes that alternates between the two.
    for (const server of [taker, giver, taker, giver]) {
      const bearer = { authorization: `Bearer ${String(accessToken)}` };
      expect((await server.get('/v1/auth/token/verify', bearer)).body).toEqual({ isAuthTokenValid: true });
      const refreshed = await server.post('/v1/auth/token/refresh', { refreshToken });
      expect(refreshed.status).toBe(200);
      ({ accessToken, refreshToken } = refreshed.body);
    }
    // A call is repeated under its key on the other server.
    const key = { 'idempotency-key': `crossed-${++number}` };
    const args = { orgId: 1, projectName: `crossed ${number}` };
    const made = await giver.tool('create-project', args, key);
    expect(made.status).toBe(200);
    const repeated = await taker.tool('create-project', args, key);
    // 0.1.0 stored no rights with a result, so it is unknown who may read it now: the call is not repeated, and its result is not shown.
    if (giver === one) expect(repeated).toMatchObject({ status: 403, body: { error: { cause: 'rights' } } });
    else expect([repeated.status, repeated.body]).toEqual([made.status, made.body]);
    expect((await taker.tool('create-project', { ...args, projectName: 'other' }, key)).status).toBe(409);
  }
}

async function doctor({ place, env }: Fleet): Promise<number> {
  const { exitCode, stdout } = await runTrivet(compiled, ['doctor', ...place], { env: { ...env } });
  if (exitCode !== 0) process.stderr.write(stdout);
  return exitCode;
}

/** Every rotation of a session has its entry, whichever version made it. */
async function auditAgrees({ url }: Fleet): Promise<void> {
  const client = postgres(url, { max: 1 });
  const rows = await client`
    SELECT s.id, s.generation, count(a.id) FILTER (WHERE a.event = 'refresh' AND a.cause IS NULL) AS rotated
    FROM auth_sessions s LEFT JOIN auth_audit a ON a.session_id = s.id GROUP BY s.id, s.generation`;
  await client.end();
  expect(rows.length).toBeGreaterThan(5);
  expect(rows.filter(({ generation, rotated }) => generation !== rotated)).toEqual([]);
}
