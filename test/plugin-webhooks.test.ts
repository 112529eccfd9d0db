import { SQL } from 'bun';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { compiled, createToken, requireBuilt, runTrivet, serveTrivet, type Running } from './executable.ts';
import { startPostgres } from './postgres.ts';
import { temporaryDirectory } from './temporary.ts';
import { receiver } from './webhook-receiver.ts';

/*
 * examples/plugins/webhooks.ts alone in an empty directory, with the executable, and receivers that verify with the library of
 * Standard Webhooks.
 */
beforeAll(requireBuilt);

const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;

/** Waits until something holds. @throws after `limitMs`. */
async function until<T>(
  what: string,
  holds: () => T | Promise<T>,
  limitMs = 10_000,
): Promise<NonNullable<T>> {
  for (const began = performance.now(); performance.now() - began < limitMs; await Bun.sleep(50)) {
    const value = await holds();
    if (value !== undefined && value !== null && value !== false) return value as NonNullable<T>;
  }
  throw new Error(`never: ${what}`);
}

/** A list, unless it is empty. */
const some = <T>(list: readonly T[]) => (list.length > 0 ? list : undefined);

const tables = (origin: string, more = '') => `
webhooks-retry = 1
webhooks-attempts = 2
webhooks-timeout = 2
[webhooks-endpoints.all]
url = "${origin}/all?key=in-the-address"
secret = "${secret}"
${more}`;

describe.each(['sqlite', 'postgres'] as const)('webhooks on %s', (engine) => {
  let where: readonly string[];
  const data = temporaryDirectory('plugin-data');
  let database = '';
  let token: string;
  const hooks = receiver();
  const running: Running[] = [];
  const config = join(temporaryDirectory('plugin'), 'trivet.toml');

  const serve = async () => {
    const server = await serveTrivet(compiled, where);
    running.push(server);
    return server;
  };
  const call = async (server: Running, tool: string, input: object) => {
    const response = await fetch(`${server.origin}/api/tools/${tool}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(input),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const deliveries = async (server: Running, filter: object = {}) =>
    (await call(server, 'list-webhook-deliveries', filter)).body['deliveries'] as Array<
      Record<string, unknown>
    >;
  const named = (name: string) => ({ orgId: 1, projectName: name });

  beforeAll(async () => {
    const cwd = temporaryDirectory('plugin');
    const plugin = join(cwd, 'webhooks.ts');
    copyFileSync(join(import.meta.dir, '..', 'examples', 'plugins', 'webhooks.ts'), plugin);
    const only = `[webhooks-endpoints.only]\nurl = "${hooks.origin}/only"\nsecret = "${secret}"\ntypes = ["run-lock"]`;
    writeFileSync(config, tables(hooks.origin, only), { mode: 0o600 });
    database = engine === 'sqlite' ? '' : await (await startPostgres()).createDatabase();
    where = [
      '--plugin',
      plugin,
      '--config',
      config,
      '--data',
      data,
      ...(database === '' ? [] : ['--database', database]),
    ];
    token = await createToken(compiled, where, 'owner@localhost');
  });
  afterAll(() => hooks.stop());

  test('a write is told after its commit, signed so that the library verifies it', async () => {
    const server = await serve();
    const made = await call(server, 'create-project', named('First'));
    expect(made.status).toBe(200);
    const one = await until('the webhook arrives', () => hooks.received[0]);
    expect(one.path).toBe('/all');
    expect(new Webhook(secret).verify(one.body, one.headers)).toEqual({
      type: 'create-project',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: {
        orgId: 1,
        projectId: made.body['projectId'],
        runId: null,
        actorId: expect.any(Number),
        surface: 'http',
        ids: { orgId: 1, id: made.body['projectId'] },
      },
    });
    expect(() => new Webhook(secret).verify(`${one.body} `, one.headers)).toThrow();
    const [delivery] = await until('it is noted', async () =>
      some(await deliveries(server, { status: 'delivered' })),
    );
    expect(delivery).toMatchObject({
      messageId: one.id,
      endpoint: 'all',
      type: 'create-project',
      orgId: 1,
      attempts: 1,
      lastStatus: 200,
      lastError: null,
      nextAttemptAt: null,
    });
    // A refused write and a reading call trigger no delivery.
    await call(server, 'create-project', { orgId: 99, projectName: 'x' });
    await call(server, 'get-projects', { orgId: 1 });
    await Bun.sleep(1_200);
    expect(hooks.received).toHaveLength(1);
    await server.stop();
  }, 60_000);

  test('a receiver that is down is tried again, is given up, listed, and replayed with the same id', async () => {
    const server = await serve();
    hooks.received.length = 0;
    hooks.answering.with = () => new Response('no', { status: 503 });
    await call(server, 'create-project', named('Down'));
    const [dead] = await until('it is given up', async () =>
      some(await deliveries(server, { status: 'dead' })),
    );
    expect(dead).toMatchObject({ attempts: 2, lastStatus: 503, lastError: 'status', endpoint: 'all' });
    expect(hooks.received).toHaveLength(2);
    expect(new Set(hooks.received.map(({ id }) => id)).size).toBe(1);
    const doctor = await runTrivet(compiled, ['doctor', '--json', ...where]);
    expect(doctor.stdout).toContain('1 deliveries to \\"all\\" were given up.');

    hooks.answering.with = () => new Response('thanks');
    const { deliveryId } = dead ?? {};
    expect(await call(server, 'replay-webhook-delivery', { deliveryId })).toMatchObject({
      status: 200,
      body: { status: 'pending', attempts: 0 },
    });
    await until('it arrives', () => hooks.received.length === 3);
    expect(hooks.received[2]?.id).toBe(String(dead?.['messageId']));
    await until('it is noted', async () => (await deliveries(server, { status: 'dead' })).length === 0);
    // The replay itself does not cause an event.
    expect((await deliveries(server)).map(({ type }) => type)).toEqual(['create-project', 'create-project']);
    await server.stop();
    expect(server.stderr()).toMatch(/"event":"webhook_dead","delivery":\d+,"endpoint":"all","attempts":2/);
  }, 60_000);

  const answers: ReadonlyArray<readonly [string, () => Response | Promise<Response>, object]> = [
    [
      'a redirect is not followed',
      () => Response.redirect(`${hooks.origin}/elsewhere`, 302),
      { lastStatus: 302, attempts: 2 },
    ],
    ['410 is the end', () => new Response(null, { status: 410 }), { lastStatus: 410, attempts: 1 }],
    [
      'no answer in time',
      () => Bun.sleep(4_000).then(() => new Response()),
      { lastStatus: null, lastError: 'timeout', attempts: 2 },
    ],
  ];
  test('what a receiver may do', async () => {
    const server = await serve();
    for (const [title, answer, expected] of answers) {
      hooks.received.length = 0;
      hooks.answering.with = answer;
      expect(await call(server, 'send-test-webhook', { endpoint: 'all', orgId: 1 })).toMatchObject({
        status: 200,
      });
      const [found] = await until(title, async () => {
        const [newest] = await deliveries(server, { limit: 1 });
        return newest?.['status'] === 'dead' ? [newest] : undefined;
      });
      expect([title, found]).toEqual([title, expect.objectContaining({ type: 'test', ...expected })]);
      expect(hooks.received.map(({ path }) => path)).not.toContain('/elsewhere');
    }
    hooks.answering.with = () => new Response();
    await server.stop();
  }, 90_000);

  test('killed between the commit and the end of sending: sent again after the restart, with the same id', async () => {
    const server = await serve();
    hooks.received.length = 0;
    const hangs = Promise.withResolvers<Response>();
    hooks.answering.with = () => hangs.promise;
    await call(server, 'create-project', named('Killed'));
    await until('the sending begins', () => hooks.received.length === 1);
    await server.stop('SIGKILL');
    hooks.answering.with = () => new Response();
    hangs.resolve(new Response());
    const next = await serve();
    // The lease of the killed server lasts for its time-out and ten seconds. No other server sends the delivery meanwhile.
    await Bun.sleep(1_500);
    expect(hooks.received).toHaveLength(1);
    const [pending] = await deliveries(next, { status: 'pending' });
    expect(pending).toMatchObject({ messageId: hooks.received[0]?.id, attempts: 1 });
    await until('it is sent again', () => hooks.received.length === 2, 60_000);
    expect(hooks.received[1]?.id).toBe(String(hooks.received[0]?.id));
    await next.stop();
  }, 90_000);

  test('a server that is stopped gives back what it was sending', async () => {
    const server = await serve();
    hooks.received.length = 0;
    hooks.answering.with = () => Bun.sleep(1_800).then(() => new Response());
    await call(server, 'create-project', named('Stopped'));
    await until('the sending begins', () => hooks.received.length === 1);
    expect(await server.stop()).toBe(0);
    hooks.answering.with = () => new Response();
    const next = await serve();
    await until('it is sent by the next one', () => hooks.received.length === 2);
    expect(hooks.received[1]?.id).toBe(String(hooks.received[0]?.id));
    await next.stop();
  }, 60_000);

  test('one whose time is from a clock that was ahead is sent, and none is replayed to a receiver that is gone', async () => {
    const server = await serve();
    hooks.received.length = 0;
    hooks.answering.with = () => Bun.sleep(1_800).then(() => new Response());
    await call(server, 'create-project', named('Ahead'));
    await until('the sending begins', () => hooks.received.length === 1);
    await server.stop();
    const inThreeDays = Date.now() + 3 * 86_400_000;
    await using client = new SQL(engine === 'sqlite' ? `sqlite://${join(data, 'trivet.db')}` : database);
    await client`update webhooks_deliveries set due_at = ${inThreeDays} where status = 'pending'`;
    hooks.answering.with = () => new Response();
    const next = await serve();
    await until('it is sent', () => hooks.received.length === 2);
    const [delivered] = await until('it is noted', async () =>
      some(await deliveries(next, { status: 'delivered' })),
    );
    await next.stop();

    writeFileSync(config, tables(hooks.origin).replace('endpoints.all', 'endpoints.other'), { mode: 0o600 });
    const changed = await serve();
    const refused = await call(changed, 'replay-webhook-delivery', { deliveryId: delivered?.['deliveryId'] });
    expect(refused).toMatchObject({ status: 404, body: { error: { code: 'WEBHOOK_ENDPOINT_NOT_FOUND' } } });
    expect(await deliveries(changed, { status: 'pending' })).toEqual([]);
    await changed.stop();
    writeFileSync(config, tables(hooks.origin), { mode: 0o600 });
  }, 60_000);

  test.if(engine === 'postgres')(
    'two servers send each delivery once',
    async () => {
      const [one, two] = [await serve(), await serve()];
      hooks.received.length = 0;
      hooks.answering.with = () => Bun.sleep(20).then(() => new Response());
      const writes = 40;
      await Promise.all(
        Array.from({ length: writes }, (_, i) =>
          call(i % 2 ? one : two, 'create-project', named(`Many ${i}`)),
        ),
      );
      await until('all arrive', async () => (await deliveries(one, { status: 'pending' })).length === 0);
      expect(hooks.received).toHaveLength(writes);
      expect(new Set(hooks.received.map(({ id }) => id)).size).toBe(writes);
      await one.stop();
      await two.stop();
    },
    60_000,
  );

  test('no secret and no address is in a log or an answer', async () => {
    const server = await serve();
    const listed = JSON.stringify(await deliveries(server, { limit: 500 }));
    const printed = await runTrivet(compiled, ['config', 'print', ...where]);
    await server.stop();
    const all = [listed, printed.stdout.replace(/url":"[^"]*/g, ''), ...running.map((each) => each.stderr())];
    for (const text of all) {
      expect(text).not.toContain(secret.slice(6));
      expect(text).not.toContain('in-the-address');
      expect(text).not.toContain('thanks');
    }
  }, 60_000);
});
