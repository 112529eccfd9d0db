import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { engine } from '../../../core/db/query/engine.ts';
import { localExecutor } from '../../../core/tools/local-executor.ts';
import { startTestKernel, stillClock, type TestKernel } from '../../../test/kernel.ts';
import { longestBlock } from '../../../test/longest-block.ts';
import { toolsOf } from '../../../test/tools.ts';
import { removeExpired } from '../sessions/expiry.ts';

/*
 * No operation and no repeating job of this module holds the event loop, whatever is stored: users, members, sessions and
 * tokens of one user, audit entries. PostgreSQL does its work in a process of its own, so this is about SQLite.
 * TRIVET_FREEZE_SIZE=100000 measures that many of each, and ten times as many entries.
 */
const size = Number(process.env['TRIVET_FREEZE_SIZE'] ?? 20_000);
/**
 * Milliseconds. Measured at 100,000: 10 to 50; the page in the middle of 100,000 sessions of one user 80, which is one sort. One statement over
 * everything took 100 to 140, and revoking all sessions and tokens of a user 8,000.
 */
const longest = 90;

let trivet: TestKernel;
let tools: Awaited<ReturnType<typeof toolsOf>>;
const clock = stillClock();
const day = 86_400_000;

const perPerson = (file: Database, from: number, now: number) => {
  const rows = `WITH RECURSIVE n(i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${from + size - 1})`;
  file.exec(`INSERT INTO auth_sessions (id, user_id, provider, client_id, audience, generation, rotated_at, grace_uses, created_at,
    expires_at, last_used_at) ${rows} SELECT 's' || i, 2, 'dev', 'app', '[]', 0, ${now} + i, 0, ${now}, ${now + 90 * day}, ${now} + (i * 7919) % 100000 FROM n`);
  file.exec(`INSERT INTO auth_access_tokens (user_id, name, hash, read_only, created_at)
    ${rows} SELECT 2, 'ci', 'h' || i, 0, ${now} + i FROM n`);
};

beforeAll(async () => {
  if (engine() === 'postgres') return;
  trivet = await startTestKernel({ clock, settings: { 'audit-keep': String(day / 1000) } });
  tools = await toolsOf(trivet);
  const now = clock.now();
  const file = new Database(join(trivet.directory, 'trivet.db'));
  file.run('PRAGMA busy_timeout = 5000');
  const rows = (count: number) =>
    `WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ${count + 1})`;
  file.exec(`INSERT INTO auth_users (id, issuer, subject, provider, email, email_verified, status, created_at)
    ${rows(size)} SELECT i, 'x', i, 'x', 'p' || i || '@example.org', 1, 'active', ${now} FROM n`);
  file.exec(
    `INSERT INTO auth_members (org_id, user_id, role, created_at) ${rows(size)} SELECT 1, i, 'member', ${now} FROM n`,
  );
  file.exec(`INSERT INTO auth_audit (at, event, user_id, operation)
    ${rows(10 * size)} SELECT ${now} + i, 'operation', i % ${size}, 'create-test' FROM n`);
  file.exec(
    `INSERT INTO auth_used_id_tokens (hash, expires_at) ${rows(size)} SELECT 'u' || i, ${now} FROM n`,
  );
  perPerson(file, 2, now);
  file.close();
}, 120_000);
afterAll(() => trivet?.stop());

const call = (tool: string, input: object) => () =>
  localExecutor(trivet.kernel, tools.owner, {}).call(tool, input, { signal: AbortSignal.timeout(100_000) });

describe.skipIf(engine() === 'postgres')('the event loop is free while', () => {
  const page = { limit: 500 };
  const cases: ReadonlyArray<readonly [string, () => () => Promise<unknown>]> = [
    ['list-audit', () => call('list-audit', page)],
    ['list-audit, the last page', () => call('list-audit', { ...page, offset: 10 * size - 400 })],
    ['list-audit of an event that never was', () => call('list-audit', { ...page, event: 'key_rotated' })],
    ['list-audit of one person', () => call('list-audit', { ...page, userId: 2 })],
    [
      'list-audit since',
      () => call('list-audit', { ...page, since: '2026-01-01T00:00:00Z', until: '2026-01-01T00:00:05Z' }),
    ],
    ['list-sessions', () => call('list-sessions', { ...page, userId: 2 })],
    ['list-sessions, the last page', () => call('list-sessions', { ...page, userId: 2, offset: size - 400 })],
    [
      'list-sessions, a page in the middle',
      () => call('list-sessions', { ...page, userId: 2, offset: size / 2 }),
    ],
    [
      'list-access-tokens',
      () => () =>
        localExecutor(trivet.kernel, { ...tools.owner, userId: 2 }, {}).call(
          'list-access-tokens',
          { ...page, offset: size - 400 },
          { signal: AbortSignal.timeout(100_000) },
        ),
    ],
    ['get-user by an address', () => call('get-user', { email: `P${size}@example.org` })],
    [
      'get-user by an address that nobody has',
      () => () => call('get-user', { email: 'nobody@example.org' })().catch(() => {}),
    ],
    ['get-user by external id', () => call('get-user', { issuer: 'x', subject: String(size) })],
    ['get-all-users', () => call('get-all-users', { ...page, offset: size - 400 })],
    [
      'set-user-role',
      () => () => call('set-user-role', { orgId: 1, userId: 1, role: 'member' })().catch(() => {}),
    ],
    ['revoke-session, of everything', () => call('revoke-session', { userId: 2 })],
    ['set-user-status', () => call('set-user-status', { userId: 2, status: 'disabled' })],
  ];
  test.each(cases)(
    '%s',
    async (name, work) => {
      if (name === 'set-user-status') {
        const file = new Database(join(trivet.directory, 'trivet.db'));
        file.run('PRAGMA busy_timeout = 5000');
        perPerson(file, 3 * size, clock.now());
        file.close();
      }
      const ms = await longestBlock(work());
      if (process.env['TRIVET_FREEZE_SIZE']) process.stdout.write(`figure: ${name}: ${ms.toFixed(0)} ms\n`);
      expect({ name, held: ms <= longest ? 'short' : `${ms.toFixed(0)} ms` }).toEqual({
        name,
        held: 'short',
      });
    },
    120_000,
  );

  test('what has expired is removed', async () => {
    clock.advance(200 * day);
    const ms = await longestBlock(() => removeExpired(trivet.kernel.host));
    if (process.env['TRIVET_FREEZE_SIZE'])
      process.stdout.write(`figure: remove-expired: ${ms.toFixed(0)} ms\n`);
    expect({ held: ms <= longest ? 'short' : `${ms.toFixed(0)} ms` }).toEqual({ held: 'short' });
  }, 120_000);
});
