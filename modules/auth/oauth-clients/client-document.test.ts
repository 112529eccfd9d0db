import { afterAll, describe, expect, test } from 'bun:test';
import { createLog } from '../../../core/base/log.ts';
import { stillClock } from '../../../test/kernel.ts';
import { documents, isDocumentId, type DocumentNetwork } from './client-document.ts';
import { OauthError } from './oauth-error.ts';
import { isPublicAddress } from './public-address.ts';
import { tlsPair } from '../testing/tls-pair.ts';

/*
 * Documents of clients: attack 8. A TLS server of the test stands for the Internet: names are resolved by a table, and a connection to
 * the public address of that table goes to the server on this machine. Every connection is counted.
 *
 * Mutation note: seen to fail when only the first address is checked, and when a redirect is taken for a document.
 */
const id = 'https://client.example/client.json';
const good = { client_id: id, client_name: 'A client', redirect_uris: ['https://client.example/callback'] };
const publicAddress = '8.8.8.8';
const clock = stillClock();
const { key, cert } = tlsPair('client.example');
const logged: string[] = [];
const log = createLog('debug', clock.now, (line) => void logged.push(line));

let answer: () => Response = () => Response.json(good);
let connections = 0;
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  tls: { key, cert },
  fetch: () => (connections++, answer()),
});
afterAll(() => server.stop(true));

const network = (addresses: readonly string[]): DocumentNetwork => ({
  resolve: async () => addresses,
  get: (url, address, signal) => {
    if (address !== publicAddress) throw new Error(`connected to ${address}`);
    const at = new URL(url);
    at.host = `127.0.0.1:${server.port}`;
    const { hostname } = url;
    return fetch(at, {
      headers: { host: hostname },
      redirect: 'manual',
      keepalive: false,
      signal,
      tls: { serverName: hostname, ca: cert },
    });
  },
});
const found = (addresses: readonly string[] = [publicAddress], asked = id) =>
  documents({ clock, log, network: network(addresses) })
    .find(asked)
    .catch((error: unknown) => (error instanceof OauthError ? error.code : error));

test('a document of a TLS server is read, once in ten minutes', async () => {
  const known = documents({ clock, log, network: network([publicAddress]) });
  connections = 0;
  const clients = await Promise.all([known.find(id), known.find(id), known.find(id)]);
  expect(clients[0]).toEqual({
    id,
    name: 'A client',
    host: 'client.example',
    redirectUris: ['https://client.example/callback'],
  });
  await known.find(id);
  expect(connections).toBe(1);
  clock.advance(10 * 60_000);
  await known.find(id);
  expect(connections).toBe(2);
});

test('the certificate has to be that of the name', async () => {
  const other = 'https://other.example/client.json';
  answer = () => Response.json({ ...good, client_id: other });
  expect(await found([publicAddress], other)).toBe('invalid_client');
  answer = () => Response.json(good);
});

describe('an address that is not on the Internet: no connection', () => {
  const cases: ReadonlyArray<readonly [string, readonly string[]]> = [
    ['loopback', ['127.0.0.1']],
    ['loopback of IPv6', ['::1']],
    ['private', ['10.0.0.1']],
    ['private', ['172.31.255.255']],
    ['private', ['192.168.1.1']],
    ['shared', ['100.64.0.1']],
    ['link-local, where clouds have their metadata', ['169.254.169.254']],
    ['this network', ['0.0.0.0']],
    ['multicast', ['224.0.0.1']],
    ['broadcast', ['255.255.255.255']],
    ['any of IPv6', ['::']],
    ['link-local of IPv6', ['fe80::1']],
    ['unique local', ['fd00::1']],
    ['mapped', ['::ffff:127.0.0.1']],
    ['mapped, in hexadecimal', ['::ffff:7f00:1']],
    ['mapped public', ['::ffff:8.8.8.8']],
    ['NAT64', ['64:ff9b::7f00:1']],
    ['6to4', ['2002:7f00:1::']],
    ['Teredo', ['2001::1']],
    ['one private among public ones', [publicAddress, '10.0.0.1']],
    ['none', []],
    ['no address', ['client.example']],
  ];
  test.each(cases)('%s', async (_title, addresses) => {
    connections = 0;
    expect([await found(addresses), connections]).toEqual(['invalid_client', 0]);
  });

  test('and no name is looked up twice: the checked address is connected to', async () => {
    let lookups = 0;
    const rebinding = {
      ...network([publicAddress]),
      resolve: async () => (lookups++ === 0 ? [publicAddress] : ['127.0.0.1']),
    };
    await documents({ clock, log, network: rebinding }).find(id);
    expect(lookups).toBe(1);
  });

  test.each(['8.8.8.8', '1.1.1.1', '2606:4700:4700::1111'])('%s is on the Internet', (address) =>
    expect(isPublicAddress(address)).toBe(true),
  );
});

describe('a document that is refused', () => {
  const answers: ReadonlyArray<readonly [string, () => Response, string]> = [
    ['a redirect', () => Response.redirect('https://client.example/other.json', 302), 'status 302'],
    ['404', () => new Response(null, { status: 404 }), 'status 404'],
    ['more than 5 KiB', () => Response.json({ ...good, x: 'x'.repeat(5 * 1024) }), 'size'],
    ['an endless one', () => new Response(endless()), 'size'],
    ['no JSON', () => new Response('<html>'), 'json'],
    ['null', () => Response.json(null), 'json'],
    [
      'another client',
      () => Response.json({ ...good, client_id: 'https://client.example/other.json' }),
      'client_id',
    ],
    ['no client', () => Response.json({ ...good, client_id: undefined }), 'client_id'],
    ['a secret', () => Response.json({ ...good, client_secret: 'x' }), 'secret'],
    [
      'a secret to come',
      () => Response.json({ ...good, token_endpoint_auth_method: 'client_secret_post' }),
      'secret',
    ],
    ['no redirect address', () => Response.json({ ...good, redirect_uris: [] }), 'redirect_uris'],
    [
      'a bad one',
      () => Response.json({ ...good, redirect_uris: ['https://a.example/', 'javascript:x'] }),
      'redirect_uris',
    ],
    ['a number', () => Response.json({ ...good, redirect_uris: [1] }), 'redirect_uris'],
  ];
  test.each(answers)('%s', async (_title, given, cause) => {
    answer = given;
    logged.length = 0;
    expect(await found()).toBe('invalid_client');
    expect(logged.join()).toContain(`"cause":"${cause}"`);
    answer = () => Response.json(good);
  });

  const endless = () => {
    const chunk = new Uint8Array(1_024);
    return new ReadableStream({ pull: (controller) => controller.enqueue(chunk) });
  };

  test('is not asked for again within a minute', async () => {
    answer = () => new Response(null, { status: 404 });
    const known = documents({ clock, log, network: network([publicAddress]) });
    connections = 0;
    for (let round = 0; round < 5; round++) await known.find(id).catch(() => {});
    expect(connections).toBe(1);
    answer = () => Response.json(good);
    clock.advance(60_000);
    expect((await known.find(id)).name).toBe('A client');
  });
});

/** @see Nobody could sign in with a client while the host of its document was down. */
describe('a document that cannot be read again', () => {
  const later: ReadonlyArray<readonly [string, () => Response, minutes: number, found: string]> = [
    ['its host is down', () => new Response(null, { status: 503 }), 10, 'A client'],
    ['its host limits us', () => new Response(null, { status: 429 }), 10, 'A client'],
    ['it is gone', () => new Response(null, { status: 404 }), 10, 'invalid_client'],
    ['it is another', () => Response.json({ ...good, redirect_uris: [] }), 10, 'invalid_client'],
    ['its host is down for a day', () => new Response(null, { status: 503 }), 24 * 60, 'invalid_client'],
  ];
  test.each(later)('%s', async (_title, given, minutes, expected) => {
    const known = documents({ clock, log, network: network([publicAddress]) });
    const nameOr = () =>
      known.find(id).then(
        ({ name }) => name,
        (error: unknown) => (error instanceof OauthError ? error.code : error),
      );
    answer = () => Response.json(good);
    expect(await nameOr()).toBe('A client');
    answer = given;
    clock.advance(minutes * 60_000);
    connections = 0;
    expect([await nameOr(), await nameOr(), connections]).toEqual([expected, expected, 1]);
    answer = () => Response.json(good);
    clock.advance(60_000);
    expect(await nameOr()).toBe('A client');
  });

  test('others keep this server busy with slow ones', async () => {
    const slow = Promise.withResolvers<readonly string[]>();
    const busy: DocumentNetwork = {
      ...network([publicAddress]),
      resolve: (name) => (name === 'client.example' ? Promise.resolve([publicAddress]) : slow.promise),
    };
    const known = documents({ clock, log, network: busy });
    await known.find(id);
    clock.advance(10 * 60_000);
    const held = Array.from({ length: 10 }, (_, n) =>
      known.find(`https://slow-${n}.example/client.json`).catch(() => {}),
    );
    expect((await known.find(id)).name).toBe('A client');
    expect(
      await known.find('https://new.example/client.json').catch((error: unknown) => error),
    ).toMatchObject({
      code: 'RATE_LIMITED',
    });
    slow.resolve([]);
    await Promise.all(held);
  });
});

describe('what may be the address of a document', () => {
  const cases: ReadonlyArray<readonly [string, boolean]> = [
    [id, true],
    ['https://client.example/a/b', true],
    ['https://client.example', false],
    ['https://client.example/', false],
    ['http://client.example/client.json', false],
    ['https://client.example:8443/client.json', false],
    ['https://client.example:443/client.json', false],
    ['https://user@client.example/client.json', false],
    ['https://client.example/client.json?x=1', false],
    ['https://client.example/client.json?', false],
    ['https://client.example/client.json#', false],
    ['https://client.example/a/../client.json', false],
    ['https://CLIENT.example/client.json', false],
    ['https://localhost/client.json', false],
    ['https://127.0.0.1/client.json', false],
    ['https://2130706433/client.json', false],
    ['https://0x7f.1/client.json', false],
    ['https://[::1]/client.json', false],
    [`https://client.example/${'x'.repeat(600)}`, false],
    ['client.example/client.json', false],
  ];
  test.each(cases)('%s', (asked, allowed) => expect(isDocumentId(asked)).toBe(allowed));
});

test('a document that imitates a brand is shown with its host', async () => {
  answer = () => Response.json({ ...good, client_name: 'Google' });
  expect(await found()).toMatchObject({ name: 'Google', host: 'client.example' });
  const { whoAsks } = await import('../oauth/consent.ts');
  const { text } = whoAsks({ id, name: 'Google', host: 'client.example', redirectUris: [] });
  expect(text).toContain('A program of <strong>client.example</strong>');
  answer = () => Response.json(good);
});

test.each([
  ['Goo\u202egle', 'Goo gle'],
  ['One\nline\u2028and\u0000more', 'One line and more'],
  ['\u200b\u2066', 'client.example'],
  ['  ', 'client.example'],
  ['x'.repeat(200), 'x'.repeat(80)],
])('the name %j is shown as %j', async (given, shown) => {
  answer = () => Response.json({ ...good, client_name: given });
  expect(await found()).toMatchObject({ name: shown });
});
