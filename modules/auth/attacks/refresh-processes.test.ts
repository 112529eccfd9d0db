import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { decodeJwt } from 'jose';
import { compiled, serveTrivet, type Running } from '../../../test/executable.ts';
import { stillClock } from '../../../test/kernel.ts';
import { mintDevIdToken } from '../providers/dev-provider.ts';
import { sessions } from '../base/schema.ts';
import { since, startAttacked, stored } from '../testing/attacked-server.ts';
import { sessionRow } from '../testing/refreshing.ts';

// Starting real servers takes its time on a busy machine.
setDefaultTimeout(60_000);

/** A kernel on the data of the servers, which only looks. */
const running = new Set<Running>();

// Real servers know no other time than the present.
const watching = await startAttacked({}, {}, undefined, stillClock(Date.now()));
afterAll(async () => {
  for (const server of running) {
    await server.stop('SIGKILL');
    watching.answered(server.stderr());
  }
  await watching.end();
});

/** One more server process on the same data; all have one name, as behind a load balancer. */
async function serve(): Promise<Running> {
  const { directory, location } = watching.trivet;
  const unlimited = ['authenticate', 'failures', 'refresh', 'verify'].map((what) => `--rate-${what}=0`);
  const where = location.engine === 'postgres' ? ['--database', location.url] : [];
  const server = await serveTrivet(compiled, [
    '--dev',
    '--log-level=debug',
    '--public-url=http://localhost',
    `--data=${directory}`,
    ...where,
    ...unlimited,
  ]);
  running.add(server);
  return server;
}

async function kill(server: Running): Promise<void> {
  await server.stop('SIGKILL');
  running.delete(server);
  watching.answered(server.stderr());
}

interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

async function post(server: Running, path: string, body: object) {
  const response = await fetch(`${server.origin}/v1/auth/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) watching.answered(text);
  const tokens = JSON.parse(text) as Tokens;
  for (const token of [tokens.accessToken, tokens.refreshToken]) if (token) watching.presented(token);
  return { status: response.status, tokens };
}

async function signIn(server: Running, email: string): Promise<Tokens> {
  const identifier = await mintDevIdToken(watching.trivet.kernel.host, email);
  watching.presented(identifier);
  const asked = {
    responseType: 'token',
    grantType: 'id_token',
    identifier,
    idProvider: 'dev',
    resources: [],
  };
  const { status, tokens } = await post(server, 'social/authenticate', asked);
  expect(status).toBe(200);
  return tokens;
}

const refresh = (server: Running, refreshToken: string) => post(server, 'token/refresh', { refreshToken });
const sidOf = ({ accessToken }: Tokens) => String(decodeJwt(accessToken)['sid']);

async function isLive(server: Running, token: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${server.origin}/v1/auth/token/verify`, { headers })).json();
}

const live = { isAuthTokenValid: true };

test('50 refreshes at once on two processes: 50 answers, one successor, one rotation', async () => {
  const [one, two] = await Promise.all([serve(), serve()]);
  for (let round = 0; round < 3; round++) {
    const signedIn = await signIn(one, 'two-processes@example.org');
    const before = await stored(watching.trivet);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => refresh(i % 2 === 0 ? one : two, signedIn.refreshToken)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(50).fill(200));
    expect(new Set(answers.map(({ tokens }) => tokens.refreshToken)).size).toBe(1);
    expect(await sessionRow(watching, sidOf(signedIn))).toMatchObject({
      generation: 1,
      graceUses: 49,
      revokedAt: null,
    });
    const { changed, recorded } = await since(watching.trivet, before);
    expect(changed).toEqual(['sessions']);
    expect(recorded).toHaveLength(50);
    expect(recorded.filter((event) => !('cause' in event))).toHaveLength(1);
    const access = answers.map(({ tokens }) => tokens.accessToken);
    const verified = await Promise.all(access.map((token, i) => isLive(i % 4 < 2 ? one : two, token)));
    expect(verified).toEqual(access.map(() => live));
  }
  await Promise.all([kill(one), kill(two)]);
});

test('kill -9 between the rotation and its answer locks nobody out, and what was answered stays true', async () => {
  const people = Array.from({ length: 24 }, (_, i) => `killed-${i}@example.org`);
  let unanswered = 0;
  let server = await serve();
  for (let round = 0; round < 4; round++) {
    const signedIn = await Promise.all(people.map((person) => signIn(server, person)));
    const ours = new Set(signedIn.map(sidOf));
    const answered = new Map<string, Tokens>();
    const dying = server;
    const asked = signedIn.map(async (tokens) => {
      const answer = await refresh(dying, tokens.refreshToken).catch(() => undefined);
      if (answer) answered.set(sidOf(tokens), answer.tokens);
    });
    // When the first rotation is stored, or in later rounds a little after: some responses have been sent, some have not.
    while (!(await anyRotated(ours))) await new Promise((next) => setImmediate(next));
    if (round > 1) await Bun.sleep(round * 2);
    await kill(dying);
    await Promise.all(asked);

    server = await serve();
    for (const tokens of signedIn) {
      const sid = sidOf(tokens);
      const before = await sessionRow(watching, sid);
      const known = answered.get(sid);
      if (known) expect(before).toMatchObject({ generation: 1 });
      else unanswered += before?.generation ?? 0;
      if (known) expect(await isLive(server, known.accessToken)).toEqual(live);
      // The client without a response presents its token; inside the grace window that is always enough.
      const again = await refresh(server, tokens.refreshToken);
      expect(again.status).toBe(200);
      if (known) expect(again.tokens.refreshToken).toBe(known.refreshToken);
      expect(await isLive(server, again.tokens.accessToken)).toEqual(live);
      expect((await refresh(server, again.tokens.refreshToken)).status).toBe(200);
    }
  }
  // Otherwise the critical moment was never hit.
  expect(unanswered).toBeGreaterThan(0);
  await kill(server);
});

async function anyRotated(ids: ReadonlySet<string>): Promise<boolean> {
  const rows = await watching.trivet.kernel.host.db.q
    .select({ id: sessions.id, generation: sessions.generation })
    .from(sessions);
  return rows.some(({ id, generation }) => generation > 0 && ids.has(id));
}
