import { deltaPath, launchPath } from '../served.ts';
import { range, type World } from './freeze-world.ts';

/** Requests other than tools, and refused bodies: name, path, body, headers, the expected status. */
export function routes(world: World): ReadonlyArray<{
  readonly name: string;
  readonly path: string;
  /** POST with a body, GET without one, unless given. */
  readonly method?: string;
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
}> {
  const user = { 'auth-userid': '1', api_version: '1' };
  const time = 1_790_000_000_000;
  const machine = (n: number) => ({
    currentState: '1',
    lastTransitionAt: time + n,
    createdAt: time,
    context: { n },
  });
  const snapshot = JSON.stringify({
    ctas: world.ctaIds.slice(0, 60).map((ctaId) => ({
      ctaId,
      activeStateMachines: Object.fromEntries(range(50, (n) => [`g${n}`, machine(n)])),
      resetAt: range(50, (n) => time + n),
    })),
  });
  const zeros = JSON.stringify({
    ctas: [
      {
        ctaId: world.ctaIds[0],
        activeStateMachines: { g: { ...machine(1), context: { zeros: range(30_000, () => 0) } } },
      },
    ],
  });
  const mebibytes = (count: number, text: string) => Buffer.alloc(count * 1024 * 1024, text);
  const ping = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  return [
    { name: 'a launch with a large snapshot', path: launchPath, body: snapshot, headers: user, status: 200 },
    { name: 'a delta with a large snapshot', path: deltaPath, body: snapshot, headers: user, status: 200 },
    {
      name: 'a delta of many zeros',
      path: deltaPath,
      body: zeros,
      headers: { ...user, 'auth-userid': '2' },
      status: 200,
    },
    {
      name: 'a small delta after it',
      path: deltaPath,
      body: '{}',
      headers: { ...user, 'auth-userid': '2' },
      status: 200,
    },
    {
      name: 'a body of 500 events',
      path: '/cta/events/',
      body: JSON.stringify({
        events: range(500, (n) => ({ id: `${n}`, type: 'click', ctaId: world.ctaIds[0], at: time })),
      }),
      headers: user,
      status: 200,
    },
    {
      name: 'a file of 25 MiB',
      path: `/api/attachments?projectId=${world.projectId}&testId=${world.testIds[0]}`,
      method: 'PUT',
      body: mebibytes(25, 'evidence '),
      headers: { 'x-file-name': '%C3%A9'.repeat(1_000) },
      status: 200,
    },
    {
      name: 'a file that is too large',
      path: `/api/attachments?projectId=${world.projectId}&testId=${world.testIds[0]}`,
      method: 'PUT',
      body: mebibytes(26, 'evidence '),
      status: 413,
    },
    {
      name: 'many ranges of a file that is not there',
      path: '/api/attachments/999999',
      headers: { range: `bytes=${'0-1,'.repeat(1_500)}` },
      status: 404,
    },
    {
      name: 'a beacon of 500 events with long texts',
      path: '/cta/events/?u=3&v=1',
      body: JSON.stringify({
        events: range(500, (n) => ({
          id: `${n}`,
          type: 'custom',
          ctaId: world.ctaIds[n % 60],
          at: time + n * 3_600_000,
          name: 'x'.repeat(200),
          value: 'y'.repeat(100),
        })),
      }),
      headers: { 'content-type': 'text/plain;charset=UTF-8' },
      status: 200,
    },
    {
      name: 'a body of events that are none',
      path: '/cta/events/?u=3&v=1',
      body: JSON.stringify({ events: range(60_000, () => 0) }),
      headers: { 'content-type': 'text/plain' },
      status: 200,
    },
    { name: 'a long link that ends letters', path: `/letters/end?t=${'x'.repeat(7_000)}`, status: 400 },
    { name: 'a preview', path: '/cta/nudge/preview/p1', status: 200 },
    { name: 'the list of tools', path: '/api/tools', status: 200 },
    { name: 'the API description', path: '/openapi.json', status: 200 },
    { name: 'the API reference', path: '/docs/testmgmt', status: 200 },
    { name: 'the schema of a rule', path: '/schemas/cta-rule.json', status: 200 },
    { name: 'metrics without their scope', path: '/metrics', status: 403 },
    { name: 'the keys', path: '/.well-known/jwks.json', status: 200 },
    { name: 'the list of tools over MCP', path: '/mcp', body: JSON.stringify(ping), status: 200 },
    {
      name: 'a batch over MCP',
      path: '/mcp',
      body: JSON.stringify(range(50, (id) => ({ ...ping, id }))),
      status: 200,
    },
    {
      name: 'a sign-in with a long text',
      path: '/v1/auth/social/authenticate',
      body: JSON.stringify({ identifier: 'x'.repeat(60_000) }),
      status: 400,
    },
    {
      name: 'a refresh with a long text',
      path: '/v1/auth/token/refresh',
      body: JSON.stringify({ refreshToken: 'x'.repeat(60_000) }),
      status: 401,
    },
    {
      name: 'a guest for many resources',
      path: '/v1/auth/guest',
      body: JSON.stringify({
        resources: range(32, (n) => `${n}${'x'.repeat(250)}`),
        installId: 'x'.repeat(128),
      }),
      status: 200,
    },
    {
      name: 'a link by a token that may not',
      path: '/v1/auth/link',
      body: JSON.stringify({ idProvider: 'dev', identifier: 'x'.repeat(60_000) }),
      status: 403,
    },
    { name: 'revocations without their scope', path: '/v1/auth/revocations?wait=30', status: 403 },
    { name: 'the identities of a token that may not see them', path: '/v1/auth/identities', status: 403 },
    { name: 'how programs sign in', path: '/.well-known/oauth-authorization-server', status: 200 },
    { name: 'the console', path: '/console/projects/1/tests', status: 200 },
    { name: 'the sign-in of the console', path: `/console/sign-in?next=${'x'.repeat(6_000)}`, status: 200 },
    ...['trivet.js', 'trivet.js.sri', 'cases.json'].map((name) => ({
      name: `the app SDK: ${name}`,
      path: `/sdk/${name}`,
      headers: { 'if-none-match': '"x",'.repeat(1_500), 'accept-encoding': 'br,'.repeat(500) },
      status: 200,
    })),
    { name: 'an icon of the console', path: '/console/assets/icon.svg', status: 200 },
    { name: 'who is at the console, without a page', path: '/console/me', status: 403 },
    {
      name: 'a code of a link that is none',
      path: '/console/sign-in',
      body: `code=${'x'.repeat(15_000)}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      status: 400,
    },
    { name: 'the page for devices', path: '/oauth/device', status: 200 },
    {
      name: 'a registration of the largest client',
      path: '/oauth/register',
      body: JSON.stringify({
        client_name: 'x'.repeat(10_000),
        redirect_uris: range(5, (n) => `https://client.example/${'x'.repeat(480)}${n}`),
      }),
      status: 201,
    },
    {
      name: 'a question of many words',
      path: `/oauth/authorize?client_id=trivet-cli&redirect_uri=http%3A%2F%2F127.0.0.1%2Fcallback&response_type=code&code_challenge=${'x'.repeat(43)}&code_challenge_method=S256&state=${'x'.repeat(2_000)}&scope=${'x+'.repeat(490)}`,
      status: 200,
    },
    ...['/oauth/token', '/oauth/device_authorization', '/oauth/revoke', '/oauth/backchannel-logout'].flatMap(
      (path) => [
        {
          name: `16 KiB of small parameters to ${path}`,
          path,
          body: range(2_500, (n) => `p${n}=`)
            .join('&')
            .slice(0, 16_000),
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          status: 400,
        },
        {
          name: `31 MiB of parameters to ${path}`,
          path,
          body: mebibytes(31, 'a=1&'),
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          status: 413,
        },
      ],
    ),
    ...['/api/tools/import-tests', '/mcp', launchPath, '/v1/auth/token/refresh', '/oauth/register'].flatMap(
      (path) => [
        { name: `16 MiB of [ to ${path}`, path, body: mebibytes(16, '['), headers: user, status: 413 },
        {
          name: `16 MiB of {"a":1}, to ${path}`,
          path,
          body: Buffer.concat([Buffer.from('{"a":['), mebibytes(15, '{"a":1},')]),
          headers: user,
          status: 413,
        },
      ],
    ),
    {
      name: 'a logout token of many small objects',
      path: '/oauth/backchannel-logout',
      body: `logout_token=e30.${Buffer.from(`{"a":[${'{},'.repeat(3_500)}{}]}`).toString('base64url')}.eA`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      status: 400,
    },
    {
      name: 'a link to a report that nobody has',
      path: `/share/${'x'.repeat(43)}`,
      status: 404,
    },
    {
      name: '31 MiB of small parts to /api/results',
      path: '/api/results?projectId=1',
      body: mebibytes(31, '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n1\r\n'),
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      status: 413,
    },
    {
      name: '31 MiB of one file that is none to /api/results',
      path: '/api/results?projectId=1',
      body: mebibytes(31, 'x '),
      headers: { 'content-type': 'application/octet-stream' },
      status: 400,
    },
    {
      name: '31 MiB of small elements to /api/results',
      path: '/api/results?projectId=1&dryRun=true',
      body: Buffer.concat([Buffer.from('<testsuites>'), mebibytes(31, '<a b="c"/>')]),
      headers: { 'content-type': 'application/xml' },
      status: 400,
    },
    {
      name: '16 MiB of "",  to a list of records',
      path: '/api/tools/bulk-add-tests',
      body: Buffer.concat([Buffer.from('{"tests":['), mebibytes(15, '"",')]),
      status: 413,
    },
    {
      name: '400,000 small values to a list of records',
      path: '/api/tools/bulk-add-tests',
      body: `{"projectId":1,"tests":[${range(130_000, (n) => `{"k${n}":1}`).join(',')}]}`,
      status: 400,
    },
  ];
}
