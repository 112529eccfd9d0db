import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../core/http/server/serve.ts';
import { openBrowser, type Browser } from '../modules/auth/testing/browser.ts';
import { compiled, requireBuilt, serveTrivet } from './executable.ts';
import { startIdentityProvider, type TestIdentityProvider } from './identity-provider.ts';
import { oauthMemory } from './mcp-clients.ts';
import { newMachine, type Machine } from './page-shell.ts';
import { settled } from './rejection.ts';

/*
 * docs/team.md, from an empty machine to a restored backup: each of its commands is typed literally, on the intended machine, with the
 * executable alone. Only addresses, the port and the client's id differ. A browser with cookies does a person's steps, at a real OpenID
 * provider.
 */

const page = readFileSync(join(import.meta.dir, '..', 'docs', 'team.md'), 'utf8');

/** The `sh` blocks of a part of the page: below a heading, or in a numbered step. */
function blocksOf(start: string): readonly string[] {
  const at = page.indexOf(start);
  expect([start, at > 0]).toEqual([start, true]);
  const rest = page.slice(at + start.length);
  const [part = ''] = rest.split(/^(?:## |\*\*\d\. )/m, 1);
  return [...part.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
}

let provider: TestIdentityProvider;
let port: number;
let server: Machine;
let owner: Machine;
let colleague: Machine;
const origin = () => `http://127.0.0.1:${port}`;
const own = (block: string) =>
  block
    .replaceAll('https://trivet.example', origin())
    .replaceAll('https://login.company.example', provider.issuer)
    .replaceAll('the client id', provider.clientId)
    .replace('trivet serve ', `trivet serve --port ${port} `);

beforeAll(async () => {
  requireBuilt();
  provider = await startIdentityProvider();
  port = freePort('127.0.0.1', 0);
  [server, owner, colleague] = [newMachine('server'), newMachine('owner'), newMachine('colleague')];
}, 60_000);
afterAll(async () => {
  for (const machine of [server, owner, colleague]) await machine.leave();
  await provider.stop();
});

/** A person opens a sign-in link at the provider. @returns the text of the last page. */
async function openLink(link: string, browser: Browser = openBrowser()): Promise<string> {
  const { href, hash } = new URL(link);
  const shown = await browser.go(href.replace(hash, ''));
  const asked = await browser.submit(shown, { code: hash.slice(1) });
  const { status, text } = await browser.submit(asked, { choice: 'with company' });
  expect([status, text]).toEqual([200, expect.any(String) as string]);
  return text;
}

/** Types a block in which `trivet login` shows an address, which the person opens. */
async function typeWithBrowser(machine: Machine, block: string): Promise<string> {
  let opened: Promise<void> | undefined;
  const address = /(http:\/\/127\.0\.0\.1:\d+\/oauth\/authorize\S+)/;
  const open = async (url: string) => {
    const browser = openBrowser();
    const { text } = await browser.submit(await browser.go(url), { choice: 'with company' });
    expect(text).toContain('You are signed in');
  };
  const printed = await machine.type(own(block), (stderr) => {
    const found = address.exec(stderr)?.[1];
    if (found !== undefined) opened ??= open(found);
  });
  await opened;
  return printed;
}

const jsonLines = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test('five steps to a colleague’s first tool call', async () => {
  expect([...page.matchAll(/^\*\*(\d)\. /gm)].map(([, number]) => number)).toEqual(['1', '2', '3', '4', '5']);

  // Step 2: the values from the provider, then the page's commands.
  await provider.accept(`${origin()}/oauth/callback`);
  writeFileSync(join(server.folder, 'client-secret'), provider.clientSecret);
  const [configuration = ''] = blocksOf('**2. Write the configuration.**');
  expect(await server.type(own(configuration))).toContain('company');

  const [start = ''] = blocksOf('**3. Start it and sign in.**');
  const link = /http\S+/.exec(await server.type(own(start)))?.[0] ?? '';
  provider.sits('olga@company.example');
  expect(await openLink(link)).toContain('You are an administrator');

  const [invite = ''] = blocksOf('**4. Invite your colleague.**');
  const [project, invitation] = jsonLines(await typeWithBrowser(owner, invite));
  expect(project).toMatchObject({ projectId: 1, projectName: 'Shop' });

  provider.sits('cora@company.example');
  await openLink(String(invitation?.['link']));
  const [first = ''] = blocksOf('**5. Your colleague**');
  expect(jsonLines(await typeWithBrowser(colleague, first))).toEqual([
    expect.objectContaining({ testId: 1, testName: 'Pay with a card', projectId: 1 }),
  ]);
}, 120_000);

test('four steps for whoever has groups', async () => {
  const there = await startIdentityProvider({ claims: ['groups'] });
  const at = freePort('127.0.0.1', 0);
  const typed = (block: string) =>
    own(block).replaceAll(origin(), `http://127.0.0.1:${at}`).replaceAll(provider.issuer, there.issuer);
  const [host, lead, member] = [newMachine('server'), newMachine('lead'), newMachine('member')];
  await there.accept(`http://127.0.0.1:${at}/oauth/callback`);
  writeFileSync(join(host.folder, 'client-secret'), there.clientSecret);
  const [configuration = ''] = blocksOf('**2. Write the configuration.**');
  const [groups = '', start = '', first = '', second = ''] = blocksOf(
    '## Four steps, if your provider has groups',
  );
  await host.type(typed(configuration));
  expect(await host.type(typed(groups))).toContain('company  ok');
  await host.type(typed(start).replace(`--port ${port}`, `--port ${at}`));
  there.sits('lea@company.example', { groups: ['qa-leads'] });
  expect(jsonLines(await typeWithBrowser(lead, typed(first)))).toEqual([
    expect.objectContaining({ projectId: 1, projectName: 'Shop' }),
  ]);
  there.sits('max@company.example', { groups: ['qa'] });
  expect(jsonLines(await typeWithBrowser(member, typed(second)))).toEqual([
    expect.objectContaining({ testId: 1, projectId: 1 }),
  ]);
  await stopServer(host, at);
  for (const machine of [host, lead, member]) await machine.leave();
  await there.stop();
}, 120_000);

test('a CTA is live in an app', async () => {
  const [create = '', launch = ''] = blocksOf('## A CTA live in an app');
  expect(jsonLines(await owner.type(own(create)))).toEqual([
    expect.objectContaining({ status: 'DRAFT' }),
    expect.objectContaining({ status: 'LIVE' }),
  ]);
  expect(JSON.parse(await owner.type(own(launch)))).toMatchObject({
    data: { ctas: [{ ctaId: '1', rule: { stateToAction: { '1': 'show-offer' } } }] },
  });
  // Publishing is for administrators.
  expect(
    await settled(
      colleague.type(
        own('trivet call set-cta-status -a ctaId=1 -a status=PAUSED --url https://trivet.example'),
      ),
    ),
  ).toThrow('FORBIDDEN');
}, 60_000);

test('an agent creates a run over MCP, signed in by browser', async () => {
  const callback = 'http://127.0.0.1:4321/callback';
  const keeps = oauthMemory(callback);
  const transport = () =>
    new StreamableHTTPClientTransport(new URL(`${origin()}/mcp`), { authProvider: keeps });
  const first = transport();
  const info = { name: 'agent', version: '1' };
  expect(await settled(new Client(info).connect(first as never))).toThrow('Unauthorized');
  const browser = openBrowser(callback);
  const { left } = await browser.submit(await browser.go(keeps.asked().href), { choice: 'with company' });
  await first.finishAuth(left?.searchParams.get('code') ?? '');
  const agent = new Client(info);
  await agent.connect(transport() as never);
  const made = await agent.callTool({
    name: 'create-run',
    arguments: { projectId: 1, runName: 'Release', testIds: [1] },
  });
  expect(made.structuredContent).toMatchObject({ runId: 1, runName: 'Release', counts: { untested: 1 } });
  await agent.close();
}, 60_000);

test('a pipeline reports', async () => {
  const [make = '', report = ''] = blocksOf('## A pipeline');
  await server.type(own(make));
  const pipeline = newMachine('pipeline');
  cpSync(join(server.folder, 'ci-token'), join(pipeline.folder, 'ci-token'));
  writeFileSync(
    join(pipeline.folder, 'junit.xml'),
    '<testsuite name="cart"><testcase name="adds an item"/><testcase name="pays"><failure message="no card"/></testcase></testsuite>',
  );
  const [answer] = jsonLines(await pipeline.type(own(report)));
  expect(answer).toMatchObject({ runId: 2, created: 2, totals: { passed: 1, failed: 1 } });
  await pipeline.leave();
}, 60_000);

const stopServer = (on = server, at = port) =>
  on.type(`pkill -f 'serve --port ${at} '; while pgrep -f 'serve --port ${at} '; do sleep 0.1; done`);

/** @see Finding: the page restored the backup of the first start, which was empty; from the second backup on its command ended with 64. */
test('its newest backup of several is restored elsewhere, with everybody still signed in', async () => {
  const counts = 'trivet call get-tests-count -a projectId=1 --url https://trivet.example --json';
  const before = await colleague.type(own(counts));
  expect(JSON.parse(before)).not.toMatchObject({ count: 0 });
  // The backup of the first start, which is empty.
  await server.type('until ls backups/*.tar.gz >/dev/null 2>&1; do sleep 0.2; done');
  const [backup = '', restore = ''] = blocksOf('## A backup, restored elsewhere');
  await server.type(own(backup));
  expect((await server.type('ls backups/*.tar.gz')).trim().split('\n').length).toBeGreaterThan(1);
  await stopServer();

  const elsewhere = newMachine('elsewhere');
  cpSync(join(server.folder, 'backups'), join(elsewhere.folder, 'backups'), { recursive: true });
  await elsewhere.type(own(restore));
  for (const file of ['trivet.toml', 'client-secret'])
    cpSync(join(server.folder, file), join(elsewhere.folder, file), { preserveTimestamps: true });
  const moved = await serveTrivet(
    compiled,
    ['--config', 'trivet.toml', '--data', 'restored', '--port', String(port)],
    { cwd: elsewhere.folder },
  );
  const after = await colleague.type(own(counts));
  expect(JSON.parse(after)).toEqual(JSON.parse(before));
  await moved.stop();
  await elsewhere.leave();
}, 180_000);
