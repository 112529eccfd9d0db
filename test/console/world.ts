import { engine } from '../../core/db/query/engine.ts';
import { freePort } from '../../core/http/server/serve.ts';
import { compiled, createToken, requireBuilt, runTrivet, serveTrivet, type Running } from '../executable.ts';
import { demoData } from '../demo-template.ts';
import { startPostgres } from '../postgres.ts';
import { reach, unlimited, type Reached } from '../served.ts';
import { temporaryDirectory } from '../temporary.ts';
import type { Person } from './browser.ts';

/** The compiled executable as a user runs it, on a port that stays the same after a restart. */
export interface ConsoleWorld extends Reached {
  readonly origin: string;
  readonly data: string;
  readonly token: string;
  /** A link from `trivet console link`. */
  link(email?: string): Promise<string>;
  /** The cookies of a person who signed in by a link, in the form of a request. */
  cookie(email?: string): Promise<string>;
  /** Creates a member of the first organization. */
  member(email: string): Promise<void>;
  /** Creates a token of a person by `trivet token create`, and the person. @param words besides the address, e.g. `--name` and `--scopes`. */
  createToken(email: string, ...words: readonly string[]): Promise<void>;
  pid(): number;
  /** Opens a link and presses the button. Ends on the first page of the console, or on `path`. */
  signIn(person: Person, path?: string, email?: string): Promise<void>;
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** The cookies set by a response, in the form of the next request. */
export const cookiesOf = (response: Response): string =>
  response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');

type Given = readonly string[] | ((origin: string) => readonly string[]);

/** A port is free when it is asked for, and another test may be faster with it. */
const portAttempts = 5;

async function servedOnFreePort(given: Given, data: string, where: readonly string[]) {
  let isCopied: boolean | undefined;
  for (let attempt = 1; ; attempt++) {
    const port = freePort('127.0.0.1', 0);
    const origin = `http://127.0.0.1:${port}`;
    const asked = typeof given === 'function' ? given(origin) : given;
    isCopied ??= engine() === 'sqlite' && asked.includes('--demo') && demoData(data);
    // A place with data is not filled.
    const args = isCopied ? asked.filter((word) => word !== '--demo') : asked;
    const at = ['--port', String(port)];
    try {
      const running: Running = await serveTrivet(compiled, [...at, ...unlimited, ...where, ...args]);
      return { running, origin, at, args };
    } catch (error) {
      if (attempt >= portAttempts || !String(error).includes('is taken')) throw error;
    }
  }
}

async function emptyDatabase(given: Given): Promise<string> {
  const postgres = await startPostgres();
  const isFilled = (typeof given === 'function' ? given('') : given).includes('--demo');
  // --demo fills only a place without tables.
  return isFilled ? postgres.createDatabase() : postgres.createMigratedDatabase();
}

/** @param given additional arguments of `trivet serve`, or what makes them from its origin. */
export async function openWorld(given: Given = ['--dev']): Promise<ConsoleWorld> {
  requireBuilt();
  const data = temporaryDirectory('console');
  const database = engine() === 'postgres' ? ['--database', await emptyDatabase(given)] : [];
  const where = ['--data', data, ...database];
  // The server is started first: --demo fills only a place without data.
  const begun = await servedOnFreePort(given, data, where);
  const { origin, at, args } = begun;
  let running = begun.running;
  const token = await createToken(compiled, where);
  const link = async (email = 'ada@example.org') => {
    const { stdout } = await runTrivet(compiled, ['console', 'link', '--email', email, ...at, ...where]);
    return stdout.trim();
  };
  const tokenFor = async (email: string, ...words: readonly string[]) => {
    const { exitCode, stderr } = await runTrivet(compiled, [
      'token',
      'create',
      '--email',
      email,
      ...words,
      ...where,
    ]);
    if (exitCode !== 0) throw new Error(stderr);
  };
  return {
    ...reach(() => origin, { token, idToken: '' }),
    origin,
    data,
    token,
    link,
    pid: () => running.pid,
    member: (email) => tokenFor(email, '--name', 'member', '--role', 'member'),
    createToken: tokenFor,
    cookie: async (email) => {
      const opened = await fetch(`${origin}/console/sign-in`);
      const answer = await fetch(`${origin}/console/sign-in`, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie: cookiesOf(opened), origin },
        body: new URLSearchParams({ code: new URL(await link(email)).hash.slice(1) }),
      });
      if (answer.status !== 303) throw new Error(`the sign-in answered ${answer.status}`);
      return cookiesOf(answer);
    },
    signIn: async ({ page }, path, email) => {
      const url = new URL(await link(email));
      if (path !== undefined) url.searchParams.set('next', path);
      await page.goto(url.href);
      await page.getByRole('button', { name: 'Sign in with the link' }).click();
      await page.getByRole('heading', { level: 1 }).waitFor();
    },
    stop: async () => void (await running.stop()),
    start: async () => {
      running = await serveTrivet(compiled, [...at, ...unlimited, ...where, ...args]);
    },
  };
}
