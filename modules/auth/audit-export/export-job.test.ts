import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createPublicKey, verify } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { engine } from '../../../core/db/query/engine.ts';
import { startTestKernel, stillClock, type TestKernel } from '../../../test/kernel.ts';
import { temporaryDirectory } from '../../../test/temporary.ts';
import { receiver } from '../../../test/webhook-receiver.ts';
import { exportRow, freeExport, newestEntry } from '../audit/audit-export-store.ts';
import { writeAuditEntries } from '../audit/audit-store.ts';
import { audit } from '../base/schema.ts';
import { removeExpired } from '../sessions/expiry.ts';
import { exportCheck } from './export-check.ts';
import { batchVerifier, type Batch } from './export-batch.ts';
import { showExport } from './export-commands.ts';
import { exportAudit } from './export-job.ts';

/* The audit log goes out whole, in order and at least once, whatever the receiver does. */

const clock = stillClock();
const path = join(temporaryDirectory('audit-out'), 'deep', 'audit.jsonl');
let trivet: TestKernel;

beforeAll(async () => {
  trivet = await startTestKernel({
    clock,
    settings: { 'audit-export': `file:${path}`, 'audit-keep': '86400' },
  });
});
afterAll(() => trivet.stop());

const write = (count: number, on = trivet) =>
  on.kernel.host.db.tx((q) =>
    writeAuditEntries(
      q,
      clock.now(),
      Array.from({ length: count }, () => ({ event: 'sign_in', userId: 1 }) as const),
    ),
  );

const runSome = async (on: TestKernel) => {
  for (let run = 0; run < 5; run++) await exportAudit(on.kernel.host, new AbortController().signal);
};

/** Runs the job until nothing waits, or it fails. PostgreSQL shows an entry two runs later, and later still while others write in its cluster. */
async function exportAll(on = trivet) {
  for (let until = Date.now() + 40_000; Date.now() < until;) {
    await runSome(on);
    const { waiting, failingSince } = await statusOf(on);
    if (waiting === 0 || failingSince !== null) return;
    await Bun.sleep(10);
  }
}

const statusOf = async (on = trivet) =>
  (
    (await showExport(on.kernel.host)) as {
      data: Record<string, unknown> & { keys: Array<Record<string, unknown>> };
    }
  ).data;

async function verifiedBy(on: TestKernel, lines: readonly string[]) {
  const { keys } = await statusOf(on);
  const verifier = batchVerifier(
    new Map(keys.map((jwk) => [String(jwk['kid']), createPublicKey({ key: jwk as never, format: 'jwk' })])),
  );
  for (const line of lines) verifier.read(line);
  return verifier.result();
}
const inFile = () => verifiedBy(trivet, readFileSync(path, 'utf8').split('\n'));

test('a file gets everything once, signed, and only its owner reads it', async () => {
  await write(1_234);
  await exportAll();
  await write(1);
  await exportAll();
  const last = await newestEntry(trivet.kernel.host.db.q);
  expect(await inFile()).toMatchObject({
    batches: 4,
    entries: last,
    firstId: 1,
    lastId: last,
    repeated: 0,
    problems: [],
  });
  expect(statSync(path).mode & 0o077).toBe(0);
  expect(await statusOf()).toMatchObject({
    kind: 'file',
    sequence: 4,
    lastId: last,
    waiting: 0,
    failingSince: null,
  });
  const text = readFileSync(path, 'utf8');
  await exportAll();
  expect(readFileSync(path, 'utf8')).toBe(text);
});

test('what a crash tore is there whole after it', async () => {
  await write(3);
  await exportAll();
  truncateSync(path, statSync(path).size - 40);
  await write(2);
  await exportAll();
  // The batch before was lost with its end: that is a gap, and is said.
  expect((await inFile()).problems).toEqual([{ line: 6, problem: 'gap', sequence: 6 }]);
  rmSync(path);
  await write(2);
  await exportAll();
  appendFileSync(path, '{"header":{"for');
  await write(2);
  await exportAll();
  expect(await inFile()).toMatchObject({ batches: 2, problems: [] });
});

test('while the target fails nothing is lost or deleted, and doctor says it', async () => {
  const { host } = trivet.kernel;
  const before = await statusOf();
  rmSync(path);
  rmSync(join(path, '..'), { recursive: true });
  writeFileSync(join(path, '..'), 'no directory');
  await write(10);
  await exportAll();
  expect(await statusOf()).toMatchObject({
    lastId: before['lastId'],
    failingSince: expect.any(String) as string,
  });
  expect(trivet.logged.filter((line) => line.includes('audit_export_failed')).length).toBe(1);
  clock.advance(2 * 86_400_000);
  await removeExpired(host);
  const rows = await host.db.q.select({ id: audit.id }).from(audit);
  // What had been exported is old and gone; what was not is there.
  expect(rows.map(({ id }) => id).filter((id) => id > Number(before['lastId'])).length).toBe(10);
  expect(rows.filter(({ id }) => id <= Number(before['lastId']))).toEqual([]);
  expect(await exportCheck.run(host, { repair: false })).toMatchObject([
    { finding: 'audit_export_failing', warning: true },
  ]);
  rmSync(join(path, '..'));
  await exportAll();
  expect(await inFile()).toMatchObject({ entries: 10, problems: [] });
  expect(await exportCheck.run(host, { repair: false })).toEqual([]);
  await removeExpired(host);
  expect((await host.db.q.select({ id: audit.id }).from(audit)).length).toBe(0);
});

test('a webhook that lost an answer gets the same batch again, signed for its key', async () => {
  const to = receiver();
  to.answering.with = () => new Response('no', { status: 500 });
  const on = await startTestKernel({ clock, settings: { 'audit-export': `${to.origin}/audit` } });
  await write(700, on);
  await exportAll(on);
  expect(to.received.length).toBe(1);
  await write(100, on);
  to.answering.with = () => new Response('thanks');
  clock.advance(60_000);
  await exportAll(on);
  const [first, again] = to.received;
  expect([first?.id, first?.body]).toEqual([again?.id, again?.body] as never);
  expect(
    await verifiedBy(
      on,
      to.received.map(({ body }) => body),
    ),
  ).toMatchObject({ lastId: await newestEntry(on.kernel.host.db.q), repeated: 1, problems: [] });
  const [jwk] = (await statusOf(on)).keys;
  for (const { id, body, headers } of to.received) {
    const signed = `${id}.${headers['webhook-timestamp']}.${body}`;
    const signature = Buffer.from(String(headers['webhook-signature']).replace('v1a,', ''), 'base64');
    expect(
      verify(null, Buffer.from(signed), createPublicKey({ key: jwk as never, format: 'jwk' }), signature),
    ).toBe(true);
  }
  await on.stop();
  await to.stop();
});

test.if(engine() === 'postgres')('an entry whose transaction commits late is not passed over', async () => {
  const late = join(temporaryDirectory('audit-late'), 'audit.jsonl');
  const on = await startTestKernel({ clock, settings: { 'audit-export': `file:${late}` } });
  const { host } = on.kernel;
  const [entered, leave] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = host.db.tx(async (q) => {
    await writeAuditEntries(q, clock.now(), [{ event: 'sign_in', userId: 1 }]);
    entered.resolve();
    await leave.promise;
  });
  await entered.promise;
  await write(2, on);
  await runSome(on);
  expect(existsSync(late)).toBe(false);
  leave.resolve();
  await slow;
  await exportAll(on);
  expect(await verifiedBy(on, readFileSync(late, 'utf8').split('\n'))).toMatchObject({
    entries: 3,
    problems: [],
  });
  await on.stop();
});

test('one of two processes exports; the other goes on when it is gone', async () => {
  const shared = join(temporaryDirectory('audit-two'), 'audit.jsonl');
  const settings = { 'audit-export': `file:${shared}` };
  const first = await startTestKernel({ clock, settings });
  const second = await startTestKernel({ clock, settings, again: first });
  await write(5, first);
  await Promise.all([exportAll(first), exportAll(second)]);
  await write(5, first);
  await Promise.all([exportAll(second), exportAll(first)]);
  // Which of the two took the export is a matter of chance where both began at once.
  const batches = ({ counts }: TestKernel) =>
    counts.snapshot().find(({ name }) => name === 'trivet_audit_export_batches_total')?.series.length ?? 0;
  expect(batches(first) + batches(second)).toBe(1);
  const [gone, other] = batches(first) === 1 ? [first, second] : [second, first];
  // Gone without a word, as after a kill: nobody gives its turn back.
  await write(5, other);
  const waiting = (await statusOf(other))['waiting'];
  await runSome(other);
  expect((await statusOf(other))['waiting']).toBe(waiting);
  clock.advance(21_000);
  await exportAll(other);
  await other.kernel.host.db.tx((q) => writeAuditEntries(q, clock.now(), [{ event: 'sign_in', userId: 1 }]));
  await gone.stop();
  await exportAll(other);
  const last = await newestEntry(other.kernel.host.db.q);
  expect(await verifiedBy(other, readFileSync(shared, 'utf8').split('\n'))).toMatchObject({
    entries: last,
    lastId: last,
    repeated: 0,
    problems: [],
  });
  await other.stop();
});

test('what the last attempt of any process was is shown by all, also when another one goes on', async () => {
  const to = receiver();
  const settings = { 'audit-export': `${to.origin}/audit` };
  const first = await startTestKernel({ clock, settings });
  const second = await startTestKernel({ clock, settings, again: first });
  const shown = async () => {
    const values: unknown[] = [];
    for (const one of [first, second]) {
      await exportAudit(one.kernel.host, new AbortController().signal);
      const gauge = one.counts.snapshot().find(({ name }) => name === 'trivet_audit_export_failing');
      values.push(gauge?.series[0]?.value);
    }
    return values;
  };
  to.answering.with = () => new Response('no', { status: 500 });
  await write(1, first);
  await exportAll(first);
  expect(await shown()).toEqual([1, 1]);
  to.answering.with = () => new Response('thanks');
  // Past its lease, and before it tries again: the others know nothing of its pause.
  const row = await exportRow(first.kernel.host.db.q, settings['audit-export']);
  await first.kernel.host.db.write((q) => freeExport(q, settings['audit-export'], row?.leaseBy ?? ''));
  // On PostgreSQL a transaction of another database may hold the first attempt back, and the failure of the other process is noted still.
  for (let tries = 0; tries < 1_000 && (await statusOf(second))['waiting'] !== 0; tries++) {
    await exportAll(second);
    await Bun.sleep(10);
  }
  expect((await statusOf(second))['waiting']).toBe(0);
  expect(await shown()).toEqual([0, 0]);
  await second.stop();
  await first.stop();
  await to.stop();
});

/** @see Nothing was exported until it was as late again as a server that was killed had thought, and nobody was told. */
test('a lease, and a pause after a failure, of a clock that was ahead hold nothing up', async () => {
  const day = 86_400_000;
  const out = join(temporaryDirectory('audit-ahead'), 'out', 'audit.jsonl');
  const settings = { 'audit-export': `file:${out}` };
  const first = await startTestKernel({ clock, settings });
  const second = await startTestKernel({ clock, settings, again: first });
  clock.advance(day);
  await write(2, first);
  await exportAll(first);
  clock.advance(-day);
  await write(1, second);
  await exportAll(second);
  expect((await statusOf(second))['waiting']).toBe(0);

  clock.advance(day);
  rmSync(join(out, '..'), { recursive: true });
  writeFileSync(join(out, '..'), 'no directory');
  await write(1, second);
  await exportAll(second);
  rmSync(join(out, '..'));
  clock.advance(-day);
  await exportAll(second);
  expect((await statusOf(second))['waiting']).toBe(0);
  await second.stop();
  await first.stop();
});

test('syslog over TCP: a message for each entry, and the seal of the batch', async () => {
  const heard: Buffer[] = [];
  const server = createServer((socket: Socket) =>
    socket.on('data', (chunk) => heard.push(Buffer.from(chunk))),
  );
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const on = await startTestKernel({ clock, settings: { 'audit-export': `syslog://127.0.0.1:${port}` } });
  await write(3, on);
  await exportAll(on);
  const messages: string[] = [];
  for (let rest: Buffer = Buffer.concat(heard as Buffer[]); rest.length > 0;) {
    const space = rest.indexOf(' ');
    const end = space + 1 + Number(rest.subarray(0, space).toString());
    messages.push(rest.subarray(space + 1, end).toString());
    rest = rest.subarray(end);
  }
  const last = await newestEntry(on.kernel.host.db.q);
  expect(messages.length).toBe(last + 1);
  for (const message of messages)
    expect(message).toMatch(/^<110>1 \d{4}-\S+Z \S+ trivet - audit(-batch)? - \{/);
  const bodies = messages.map(
    (message) => JSON.parse(message.slice(message.indexOf('{'))) as Record<string, unknown>,
  );
  const batch = { ...(bodies.at(-1) as object as Batch), entries: bodies.slice(0, -1) };
  expect(await verifiedBy(on, [JSON.stringify(batch)])).toMatchObject({ entries: last, problems: [] });
  // Nobody listens any more.
  await new Promise((resolve) => void server.close(resolve));
  await write(1, on);
  await exportAll(on);
  expect(await statusOf(on)).toMatchObject({
    lastId: last,
    failure: expect.stringContaining('ECONNREFUSED') as string,
  });
  await on.stop();
  expect(existsSync(path)).toBe(true);
});
