import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compare, started, tokenFor, trivet, type Scenario } from './compare.ts';
import type { Shot } from './load.ts';

/*
 * The cost of metrics, the access log and traces: `npm run bench:metrics -- PATH/OF/trivet` compares with an executable without them, in
 * turns. Ours is scraped every second, fifteen times as often as usual. Without a path, our options are compared with ours without them.
 */
const directory = mkdtempSync(join(tmpdir(), 'trivet-metrics-'));
const unlimited = ['tools', 'cta', 'cta-tenant'].flatMap((name) => [`--rate-${name}`, '0']);

/** The minimum ratio of requests per second: docs/decisions/monitoring.md. */
const promised = 0.97;

const serve = (executable: string, name: string, ...more: readonly string[]) =>
  started([executable, 'serve', '--port', '0', '--data', join(directory, name), ...unlimited, ...more]);

/** The cheapest request, for which recording is relatively the most expensive; an app launch; a tool. */
function shotsFor(name: string): Readonly<Record<string, Shot>> {
  const token = tokenFor(join(directory, name));
  return {
    'health check': { method: 'GET', path: '/healthz', body: '' },
    'app launch': {
      path: '/cta/active/state-machines/',
      headers: { 'auth-userid': '7', api_version: '1' },
      body: '{}',
    },
    'tool call': {
      path: '/api/tools/get-orgs-list',
      headers: { authorization: `Bearer ${token}` },
      body: '{}',
    },
  };
}

function scenarios(ours: string, theirs: string, least?: number): readonly Scenario[] {
  const [our, their] = [shotsFor(ours), shotsFor(theirs)];
  return Object.keys(our).map((title) => ({
    title,
    shooters: [{ shot: () => our[title] as Shot }, { shot: () => their[title] as Shot }],
    ...(least === undefined ? {} : { promised: least }),
  }));
}

/** An unused address. */
function freeAddress(): string {
  const probe = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
  const address = `127.0.0.1:${probe.port}`;
  void probe.stop(true);
  return address;
}

let held = true;

async function against(other: string): Promise<void> {
  const address = freeAddress();
  const ours = await serve(trivet, 'ours', '--metrics-listen', address);
  const theirs = await serve(other, 'theirs');
  const scraping = setInterval(() => void fetch(`http://${address}/metrics`).catch(() => {}), 1_000);
  held &&= (await compare(ours, theirs, 'without', scenarios('ours', 'theirs', promised))).held;
  clearInterval(scraping);
  ours.stop();
  theirs.stop();
}

async function withOption(...option: readonly string[]): Promise<void> {
  process.stdout.write(`${option.join(' ')}\n`);
  const ours = await serve(trivet, 'option', ...option);
  const theirs = await serve(trivet, 'plain');
  await compare(ours, theirs, 'without', scenarios('option', 'plain'));
  ours.stop();
  theirs.stop();
}

try {
  const [other] = process.argv.slice(2);
  if (other !== undefined) await against(other);
  await withOption('--access-log');
} finally {
  rmSync(directory, { recursive: true, force: true });
}
if (!held) process.exitCode = 1;
