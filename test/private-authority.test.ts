import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compiled, createToken, requireBuilt, runTrivet, serveTrivet, type Running } from './executable.ts';
import { temporaryDirectory } from './temporary.ts';

/*
 * Servers with a certificate of a private authority, as inside a company: a Trivet behind a TLS proxy, and an identity provider. The error
 * names the certificate and the remedy, and the remedy works, both from the sources and compiled.
 */
const folder = temporaryDirectory('authority');
const authority = join(folder, 'ca.pem');
const trusting = { NODE_EXTRA_CA_CERTS: authority };
const says = 'its certificate is of an authority that this machine does not trust';

function openssl(...words: readonly string[]) {
  const { exitCode, stderr } = Bun.spawnSync(['openssl', ...words], { cwd: folder });
  if (exitCode !== 0) throw new Error(stderr.toString());
}

let running: Running;
let proxy: Bun.Server<undefined>;
let origin: string;
let token: string;
beforeAll(async () => {
  requireBuilt();
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...key,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-days',
    '2',
    '-subj',
    '/CN=Own authority',
  );
  openssl('req', ...key, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=localhost');
  writeFileSync(join(folder, 'names'), 'subjectAltName=DNS:localhost');
  const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
  openssl('x509', '-req', '-in', 'server.csr', '-out', 'server.pem', ...signed);
  proxy = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    tls: { key: Bun.file(join(folder, 'server.key')), cert: Bun.file(join(folder, 'server.pem')) },
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      if (pathname === '/.well-known/openid-configuration')
        return Response.json({ issuer: origin, jwks_uri: `${origin}/keys` });
      if (pathname === '/keys') return Response.json({ keys: [] });
      const { method, headers } = request;
      const body = method === 'GET' ? null : await request.arrayBuffer();
      return fetch(`${running.origin}${pathname}${search}`, { method, headers, body });
    },
  });
  origin = `https://localhost:${proxy.port}`;
  const data = join(folder, 'data');
  token = await createToken(compiled, ['--data', data]);
  running = await serveTrivet(compiled, ['--data', data, '--public-url', origin]);
}, 60_000);
afterAll(async () => {
  await proxy.stop(true);
  await running.stop();
});

test('a webhook: the log says why, and how to go on', async () => {
  const home = temporaryDirectory('authority-hooks');
  const plugin = join(home, 'webhooks.ts');
  copyFileSync(join(import.meta.dir, '..', 'examples', 'plugins', 'webhooks.ts'), plugin);
  chmodSync(plugin, 0o600);
  const config = join(home, 'trivet.toml');
  const secret = `whsec_${Buffer.alloc(32, 'k').toString('base64')}`;
  const endpoint = `[webhooks-endpoints.all]\nurl = "${origin}/hook?key=secret"\nsecret = "${secret}"\n`;
  writeFileSync(config, endpoint, { mode: 0o600 });
  const where = ['--data', join(home, 'data'), '--plugin', plugin, '--config', config];
  const own = await createToken(compiled, where);
  const server = await serveTrivet(compiled, where);
  const input = JSON.stringify({ orgId: 1, projectName: 'Shop' });
  const headers = { authorization: `Bearer ${own}`, 'content-type': 'application/json' };
  await fetch(`${server.origin}/api/tools/create-project`, { method: 'POST', headers, body: input });
  const line = () =>
    server
      .stderr()
      .split('\n')
      .find((each) => each.includes('webhook_certificate_refused'));
  for (let tries = 0; tries < 100 && line() === undefined; tries++) await Bun.sleep(100);
  expect(JSON.parse(line() ?? '{}')).toMatchObject({
    level: 'warn',
    endpoint: 'all',
    code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    remedy: expect.stringContaining('NODE_EXTRA_CA_CERTS=') as string,
  });
  expect(server.stderr()).not.toContain('key=secret');
  await server.stop();
}, 60_000);

describe.each([compiled].map((one) => [one.name, one] as const))(
  'an authority of one’s own, %s',
  (_, executable) => {
    const cwd = temporaryDirectory('authority-client');
    const own = { HOME: cwd, XDG_CONFIG_HOME: cwd };
    const trivet = (words: readonly string[], env: Record<string, string>) =>
      runTrivet(executable, words, { cwd, env: { ...own, ...env } });

    const calls: ReadonlyArray<readonly [string, readonly string[], Record<string, string>, number, number]> =
      [
        ['call', ['call', 'get-orgs-list', '--json'], { TRIVET_TOKEN: '' }, 4, 0],
        ['healthcheck', ['healthcheck'], {}, 1, 0],
      ];
    test.each(calls)(
      '%s --url',
      async (name, words, env, refused, worked) => {
        const asked = name === 'call' ? { ...env, TRIVET_TOKEN: token } : env;
        const began = performance.now();
        const { exitCode, stderr } = await trivet([...words, '--url', origin], asked);
        expect([exitCode, stderr]).toEqual([refused, expect.stringContaining(says)]);
        expect(stderr).toContain('NODE_EXTRA_CA_CERTS=');
        // Repeating the request does not change the certificate.
        expect(performance.now() - began).toBeLessThan(5_000);
        const again = await trivet([...words, '--url', origin], { ...asked, ...trusting });
        expect([again.exitCode, again.stderr]).toEqual([worked, '']);
      },
      30_000,
    );

    test('login --url', async () => {
      const { exitCode, stderr } = await trivet(['login', '--device', '--url', origin], {});
      expect([exitCode, stderr]).toEqual([4, expect.stringContaining(says)]);
      expect(stderr).toContain('NODE_EXTRA_CA_CERTS=');
    }, 30_000);

    test('an identity provider: auth doctor', async () => {
      const config = join(cwd, 'trivet.toml');
      writeFileSync(config, `[providers.company]\nissuer = "${origin}"\naudiences = ["app"]\n`, {
        mode: 0o600,
      });
      const words = ['auth', 'doctor', '--config', config];
      const { exitCode, stdout } = await trivet(words, {});
      expect([exitCode, stdout]).toEqual([1, expect.stringContaining(says)]);
      expect(stdout).toContain('NODE_EXTRA_CA_CERTS=');
      const again = await trivet(words, trusting);
      expect(again.stdout).not.toContain('certificate');
      expect(again.stdout).toContain('None of its 0 keys');
    }, 30_000);
  },
);
