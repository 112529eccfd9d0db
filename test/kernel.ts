import { toolRoutes } from '../core/api/tool-routes.ts';
import { systemClock, type Clock } from '../core/base/clock.ts';
import type { Location } from '../core/db/query/db.ts';
import { engine } from '../core/db/query/engine.ts';
import { metricsRoutes } from '../core/http/server/metrics-routes.ts';
import { serveHttp } from '../core/http/server/serve.ts';
import { startKernel, type Kernel } from '../core/kernel/kernel.ts';
import { createLog } from '../core/base/log.ts';
import { mcpRoutes } from '../core/mcp/mcp-routes.ts';
import { recorder, type CountingRecorder } from '../core/metrics/recorder.ts';
import type { Module } from '../core/module/module.ts';
import { resolveConfig } from '../core/settings/config.ts';
import { clientSettings, coreSettings, type SettingTable } from '../core/settings/settings.ts';
import type { ToolCut } from '../core/tools/executor.ts';
import { mintDevIdToken } from '../modules/auth/providers/dev-provider.ts';
import { builtIn } from '../modules/built-in.ts';
import { startPostgres } from './postgres.ts';
import { temporaryDirectory } from './temporary.ts';

/** A clock that stands still until a test moves it. */
export interface StillClock extends Clock {
  set(epochMs: number): void;
  advance(ms: number): void;
  /** Advances, and resolves when each job that waited for this time has run and waits again. */
  pass(ms: number): Promise<void>;
}

export function stillClock(epochMs = Date.UTC(2026, 0, 1)): StillClock {
  let now = epochMs;
  const waiting = new Set<{ readonly until: number; readonly over: () => void }>();
  /** Jobs that wait repeatedly: those of `waiting`, and those that run now. */
  let jobs = 0;
  const set = (to: number) => {
    now = to;
    for (const one of waiting) if (one.until <= now) one.over();
  };
  return {
    now: () => now,
    set,
    advance: (ms) => set(now + ms),
    pass: async (ms) => {
      set(now + ms);
      while (waiting.size < jobs) await Bun.sleep(1);
    },
    wait: (ms, signal) =>
      new Promise((resolve) => {
        const one = {
          until: now + ms,
          over: () => {
            waiting.delete(one);
            signal?.removeEventListener('abort', ended);
            resolve();
          },
        };
        const ended = () => {
          jobs--;
          one.over();
        };
        if (signal?.aborted === true) return resolve();
        waiting.add(one);
        jobs = Math.max(jobs, waiting.size);
        signal?.addEventListener('abort', ended);
      }),
  };
}

export interface TestKernelOptions {
  readonly clock?: Clock;
  /**
   * Flags as on the command line, without the dashes: `{ 'access-ttl': '60', dev: 'true' }`. By default, `--dev` is on, and neither
   * sign-ins nor requests of apps are limited.
   */
  readonly settings?: Readonly<Record<string, string>>;
  /** Modules in addition to the built-in ones. */
  readonly plugins?: readonly Module[];
  readonly cut?: ToolCut;
  /** Reuses the data of an earlier kernel, including its master key. */
  readonly again?: Pick<TestKernel, 'location' | 'directory'>;
}

export interface TestKernel {
  readonly kernel: Kernel;
  readonly origin: string;
  readonly location: Location;
  /** The data directory. */
  readonly directory: string;
  /** The values it has counted. */
  readonly counts: CountingRecorder;
  /** Everything that was logged, one JSON text per line. */
  readonly logged: readonly string[];
  /** A real request over loopback. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** `POST` of JSON, optionally with a bearer token; returns status, headers and parsed body. */
  post(path: string, body: unknown, token?: string, headers?: Record<string, string>): Promise<TestAnswer>;
  /** Signs a person in through the provider `dev`. */
  signIn(
    email: string,
  ): Promise<{ accessToken: string; idToken: string; refreshToken: string; expiresIn: number }>;
  stop(): Promise<void>;
}

export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  // Tests compare bodies as a whole, and so assert their contents.
  readonly body: Record<string, unknown>;
}

/** Starts all built-in modules on a fresh database of the engine under test and serves them on a free port. */
export async function startTestKernel(options: TestKernelOptions = {}): Promise<TestKernel> {
  const modules = await Promise.all(Object.values(builtIn).map((load) => load()));
  const all = [...modules, ...(options.plugins ?? [])];
  const directory = options.again?.directory ?? temporaryDirectory('data');
  const location = options.again?.location ?? (await freshLocation(directory));
  const unlimited = {
    'rate-authenticate': '0',
    'rate-failures': '0',
    'rate-refresh': '0',
    'rate-verify': '0',
    'rate-cta': '0',
    'rate-cta-tenant': '0',
  };
  const settings = { dev: 'true', port: '0', data: directory, ...unlimited, ...options.settings };
  const table: SettingTable = Object.assign(
    {},
    coreSettings,
    clientSettings,
    ...all.map((module) => module.settings ?? {}),
  ) as SettingTable;
  const argv = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  const logged: string[] = [];
  const clock = options.clock ?? systemClock;
  const counts = recorder();
  const kernel = await startKernel({
    modules: all,
    config: resolveConfig(table, { argv, env: {} }),
    location,
    log: createLog('debug', clock.now, (line) => void logged.push(line)),
    clock,
    recorder: counts,
    origin: 'http://127.0.0.1:0',
  });
  const server = serveHttp(kernel, options.cut ?? {}, [
    toolRoutes,
    mcpRoutes,
    metricsRoutes(async () => [{ metrics: counts.snapshot() }]),
  ]);
  kernel.listening(server.origin);

  const fetchPath = (path: string, init?: RequestInit) => fetch(`${server.origin}${path}`, init);
  const post: TestKernel['post'] = async (path, body, token, headers = {}) => {
    const response = await fetchPath(path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as TestAnswer['body'],
    };
  };
  return {
    kernel,
    origin: server.origin,
    location,
    directory,
    counts,
    logged,
    fetch: fetchPath,
    post,
    signIn: async (email) => {
      const { status, body } = await post('/v1/auth/social/authenticate', {
        responseType: 'token',
        grantType: 'id_token',
        identifier: await mintDevIdToken(kernel.host, email),
        idProvider: 'dev',
        resources: [],
      });
      if (status !== 200) throw new Error(`sign-in answered ${status}`);
      return body as unknown as Awaited<ReturnType<TestKernel['signIn']>>;
    },
    stop: async () => {
      await server.stop();
      await kernel.stop();
    },
  };
}

async function freshLocation(directory: string): Promise<Location> {
  if (engine() === 'sqlite') return { engine: 'sqlite', directory, durability: 'full' };
  const server = await startPostgres();
  return { engine: 'postgres', url: await server.createMigratedDatabase() };
}
