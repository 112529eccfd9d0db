import { beforeAll, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../core/http/server/serve.ts';
import { compiled, requireBuilt, serveTrivet, type Running } from '../executable.ts';
import { unlimited } from '../served.ts';
import { temporaryDirectory } from '../temporary.ts';
import { ran } from '../verify/scale.ts';
import { proxyProgram, type ProxyName } from './proxy-program.ts';

/*
 * Two servers on one data directory behind a proxy with the shipped configuration are restarted in turn under full load: launches (POST,
 * which no proxy may repeat once it was sent) and reads. No request fails. Nightly only: it needs nginx and Caddy.
 */

beforeAll(requireBuilt);

const requests = 100_000;
const clients = 16;

interface Proxy {
  readonly name: ProxyName;
  /** The flags named in the head of its configuration. */
  readonly flags: readonly string[];
  /** The shipped configuration, without TLS and on other ports. */
  configure(shipped: string, ports: Ports, folder: string): string;
  command(program: string, file: string, folder: string): readonly string[];
}

interface Ports {
  readonly proxy: number;
  readonly servers: readonly [number, number];
}

const withServers = (text: string, { servers }: Ports) =>
  text
    .replaceAll('127.0.0.1:8787', `127.0.0.1:${servers[0]}`)
    .replaceAll('127.0.0.1:8788', `127.0.0.1:${servers[1]}`);

const nginx: Proxy = {
  name: 'nginx',
  flags: ['--trusted-proxies', '1'],
  configure: (shipped, ports, folder) => {
    const server = withServers(shipped, ports)
      .replace('listen 443 ssl;', `listen 127.0.0.1:${ports.proxy};`)
      .replaceAll(/ssl_certificate.*\n/g, '\n');
    const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${folder}/${name};`)
      .join(' ');
    return `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; events {}\nhttp { access_log off; ${places}\n${server}\n}\n`;
  },
  command: (program, file, folder) => [program, '-p', folder, '-c', file],
};

const caddy: Proxy = {
  name: 'caddy',
  flags: ['--trusted-proxies', '1', '--stop-delay', '2'],
  configure: (shipped, ports) =>
    `{\n\tadmin off\n\tauto_https off\n}\n${withServers(shipped, ports).replace('trivet.example {', `http://127.0.0.1:${ports.proxy} {`)}`,
  command: (program, file) => [program, 'run', '--config', file, '--adapter', 'caddyfile'],
};

test.each([
  ['nginx', nginx, 'nginx.conf'],
  ['Caddy', caddy, 'Caddyfile'],
] as const)(
  'behind %s',
  async (title, proxy, file) => {
    const program = await proxyProgram(proxy.name);
    if (program === undefined) {
      process.stdout.write(`skipped: ${title} is not on this machine and not among its packages\n`);
      return;
    }
    const folder = temporaryDirectory('proxy');
    const data = temporaryDirectory('proxied');
    const free = () => freePort('127.0.0.1', 0);
    const ports: Ports = { proxy: free(), servers: [free(), free()] };
    const start = (port: number): Promise<Running> =>
      serveTrivet(compiled, [...unlimited, ...proxy.flags, '--data', data, '--port', String(port)]);
    const servers = [await start(ports.servers[0]), await start(ports.servers[1])] as const;
    const running: Running[] = [...servers];

    const shipped = readFileSync(join(import.meta.dir, '../../examples/proxy', file), 'utf8');
    const configuration = join(folder, file);
    writeFileSync(configuration, proxy.configure(shipped, ports, folder));
    const child = Bun.spawn([...proxy.command(program, configuration, folder)], {
      env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: Bun.file(join(folder, 'stderr.log')),
    });
    const origin = `http://127.0.0.1:${ports.proxy}`;
    await untilAnswered(`${origin}/healthz`);

    const load = { sent: 0 };
    const answers = new Map<string, number>();
    const client = async () => {
      while (load.sent < requests) {
        const answer = await (load.sent++ % 2 === 0 ? launch(origin, load.sent) : read(origin));
        answers.set(answer, (answers.get(answer) ?? 0) + 1);
      }
    };
    let restarts = 0;
    const restart = async () => {
      while (load.sent < requests) {
        await Bun.sleep(1_000);
        const at = restarts++ % 2;
        await running[at]?.stop();
        running[at] = await start(ports.servers[at === 0 ? 0 : 1]);
      }
    };
    const began = performance.now();
    await Promise.all([restart(), ...Array.from({ length: clients }, client)]);
    const perSecond = Math.round(requests / ((performance.now() - began) / 1000));
    child.kill();
    await child.exited;
    for (const server of running) await server.stop();

    expect(Object.fromEntries(answers)).toEqual({ 'POST 200': requests / 2, 'GET 200': requests / 2 });
    expect(restarts).toBeGreaterThan(3);
    ran(requests, `requests behind ${title} during ${restarts} restarts, ${perSecond} a second, none failed`);
  },
  600_000,
);

async function launch(origin: string, user: number): Promise<string> {
  const headers = {
    'content-type': 'application/json',
    'auth-userid': String(user % 1_000),
    api_version: '1',
  };
  return answerOf(
    'POST',
    fetch(`${origin}/cta/active/state-machines/`, { method: 'POST', headers, body: '{}' }),
  );
}

const read = (origin: string) => answerOf('GET', fetch(`${origin}/healthz`));

async function answerOf(method: string, response: Promise<Response>): Promise<string> {
  try {
    const { status, body } = await response;
    await new Response(body).text();
    return `${method} ${status}`;
  } catch (error) {
    return `${method} ${error instanceof Error ? error.message : 'failed'}`;
  }
}

async function untilAnswered(url: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if (
      await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return;
    await Bun.sleep(100);
  }
  throw new Error(`${url} does not answer`);
}
