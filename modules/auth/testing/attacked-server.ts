import { expect } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gt } from 'drizzle-orm';
import {
  startTestKernel,
  stillClock,
  type StillClock,
  type TestAnswer,
  type TestKernel,
} from '../../../test/kernel.ts';
import { temporaryDirectory } from '../../../test/temporary.ts';
import { accessTokens, audit, sessions, signingKeys, usedIdTokens, users } from '../base/schema.ts';
import { leaked, secretsIn } from './leaks.ts';

/** Everything that an attack must leave as it was. */
const kept = { users, sessions, accessTokens, signingKeys, usedIdTokens };

type AuditRow = typeof audit.$inferSelect;

/** What is stored at one moment. */
export interface Stored {
  readonly rows: Readonly<Record<string, readonly string[]>>;
  readonly lastAudit: number;
}

/** The result of an attack: its response, and the newly stored data. */
interface Outcome {
  readonly status: number;
  readonly code: unknown;
  readonly cause: unknown;
  /** The tables that changed. */
  readonly changed: readonly string[];
  readonly recorded: readonly object[];
}

/** A provider as the configuration file has it. */
interface Configured {
  readonly issuer: string;
  readonly audiences?: readonly string[];
  readonly algorithms?: readonly string[];
}

export interface Attacked {
  readonly trivet: TestKernel;
  readonly clock: StillClock;
  /** Epoch seconds of the server's clock. */
  seconds(): number;
  /** The claims of a good ID token for the client `app`, with changes; undefined takes a claim away. */
  claims(issuer: string, change?: object): Record<string, unknown>;
  signIn(idProvider: string, identifier: unknown): Promise<TestAnswer>;
  refresh(refreshToken: unknown): Promise<TestAnswer>;
  /** What `verify` answers to this token: status and body. */
  verify(token: string): Promise<{ readonly status: number; readonly body: unknown }>;
  /** The status of `/api/tools` for this token. */
  tools(token: string): Promise<number>;
  /** Runs an attack and returns its result. */
  outcome(act: () => Promise<TestAnswer>): Promise<Outcome>;
  /** Presents an ID token that must be refused, and asserts that nothing happened but the record of it. */
  refusesIdToken(idProvider: string, identifier: string, cause: string): Promise<void>;
  /** Presents one that must be accepted. Without such cases a suite of refusals proves nothing. */
  acceptsIdToken(idProvider: string, identifier: string): Promise<TestAnswer>;
  /** Registers a text that no log may contain, for the leak check. */
  presented(token: string): void;
  /** Registers a response that was not read by one of the functions here. */
  answered(text: string): void;
  /** Asserts that no log line, error body or audit row contains a piece of anything presented; then stops. */
  end(): Promise<void>;
}

/** Codes that mean the sign-in failed for what was presented: these are recorded. */
const recordedStatus = 401;

/** Writes a configuration file with these providers. @returns its path. */
export function configFile(providers: Readonly<Record<string, Configured>>): string {
  const path = join(temporaryDirectory('attacks'), 'trivet.toml');
  const tables = Object.entries(providers).map(([name, { issuer, audiences = ['app'], algorithms }]) => {
    const lines = [`[providers.${name}]`, `issuer = ${JSON.stringify(issuer)}`];
    lines.push(`audiences = ${JSON.stringify(audiences)}`);
    if (algorithms) lines.push(`algorithms = ${JSON.stringify(algorithms)}`);
    return `${lines.join('\n')}\n`;
  });
  writeFileSync(path, tables.join('\n'));
  return path;
}

/** Starts a server with these providers (and `dev`) for attacks over HTTP, with a clock that stands still. */
export async function startAttacked(
  providers: Readonly<Record<string, Configured>>,
  settings: Readonly<Record<string, string>> = {},
  again?: TestKernel,
  clock: StillClock = stillClock(),
): Promise<Attacked> {
  const trivet = await startTestKernel({
    clock,
    settings: { config: configFile(providers), ...settings },
    ...(again ? { again } : {}),
  });
  const secrets = new Set<string>();
  const errors: string[] = [];
  const presented = (token: string) => {
    for (const secret of secretsIn(token)) secrets.add(secret);
  };
  const heard = (answer: TestAnswer): TestAnswer => {
    if (answer.status !== 200) errors.push(JSON.stringify(answer.body));
    for (const value of Object.values(answer.body)) if (typeof value === 'string') presented(value);
    return answer;
  };

  const signIn: Attacked['signIn'] = async (idProvider, identifier) => {
    if (typeof identifier === 'string') presented(identifier);
    const asked = { responseType: 'token', grantType: 'id_token', identifier, idProvider, resources: [] };
    return heard(await trivet.post('/v1/auth/social/authenticate', asked));
  };
  const outcome: Attacked['outcome'] = async (act) => {
    const before = await stored(trivet);
    const { status, body } = await act();
    const error = body['error'] as { code?: unknown; cause?: unknown } | undefined;
    return { status, code: error?.code, cause: error?.cause, ...(await since(trivet, before)) };
  };
  const seconds = () => Math.floor(clock.now() / 1000);

  return {
    trivet,
    clock,
    seconds,
    presented,
    answered: (text) => void errors.push(text),
    signIn,
    outcome,
    claims: (issuer, change = {}) => ({
      iss: issuer,
      aud: 'app',
      sub: 'somebody-of-the-attack-suite',
      iat: seconds(),
      exp: seconds() + 300,
      ...change,
    }),
    refresh: async (refreshToken) => {
      if (typeof refreshToken === 'string') presented(refreshToken);
      return heard(await trivet.post('/v1/auth/token/refresh', { refreshToken }));
    },
    verify: async (token) => {
      presented(token);
      const headers = { authorization: `Bearer ${token}` };
      const response = await trivet.fetch('/v1/auth/token/verify', { headers });
      return { status: response.status, body: await response.json() };
    },
    tools: async (token) => {
      presented(token);
      const response = await trivet.fetch('/api/tools', { headers: { authorization: `Bearer ${token}` } });
      if (response.status !== 200) errors.push(await response.text());
      return response.status;
    },
    refusesIdToken: async (idProvider, identifier, cause) => {
      const tooLarge = cause === 'too large';
      const got = await outcome(() => signIn(idProvider, identifier));
      expect(got).toEqual(
        tooLarge
          ? { status: 413, code: 'PAYLOAD_TOO_LARGE', cause: undefined, changed: [], recorded: [] }
          : {
              status: recordedStatus,
              code: 'INVALID_ID_TOKEN',
              cause,
              changed: [],
              recorded: [failedSignIn(idProvider, cause)],
            },
      );
    },
    acceptsIdToken: async (idProvider, identifier) => {
      const before = await stored(trivet);
      const answer = await signIn(idProvider, identifier);
      const { changed } = await since(trivet, before);
      expect({ status: answer.status, body: answer.body['error'] }).toEqual({ status: 200, body: undefined });
      expect(changed).toContain('sessions');
      return answer;
    },
    end: async () => {
      const rows = await trivet.kernel.host.db.q.select().from(audit);
      const texts = [...trivet.logged, ...errors, ...rows.map((row) => JSON.stringify(row))];
      await trivet.stop();
      expect(secrets.size).toBeGreaterThan(0);
      expect(leaked(secrets, texts)).toBeNull();
    },
  };
}

const failedSignIn = (provider: string, cause: string) => ({
  event: 'sign_in_failed',
  provider,
  cause,
  address: '127.0.0.1',
});

export async function stored({ kernel }: TestKernel): Promise<Stored> {
  const { q } = kernel.host.db;
  const rows: Record<string, string[]> = {};
  for (const [name, table] of Object.entries(kept)) {
    const all: readonly object[] = await q.select().from(table);
    rows[name] = all.map((row) => JSON.stringify(row)).toSorted();
  }
  return {
    rows,
    lastAudit: Math.max(0, ...(await q.select({ id: audit.id }).from(audit)).map(({ id }) => id)),
  };
}

/** The difference between the data stored now and then. */
export async function since(
  trivet: TestKernel,
  before: Stored,
): Promise<Pick<Outcome, 'changed' | 'recorded'>> {
  const after = await stored(trivet);
  const events = await trivet.kernel.host.db.q.select().from(audit).where(gt(audit.id, before.lastAudit));
  return {
    changed: Object.keys(kept).filter((name) => !Bun.deepEquals(before.rows[name], after.rows[name])),
    recorded: events.toSorted((left, right) => left.id - right.id).map(shown),
  };
}

/** An audit row without its number, its time and empty fields. */
function shown({ id: _id, at: _at, ...row }: AuditRow): object {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}
