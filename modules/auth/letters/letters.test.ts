import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outbox } from '../../../core/letters/letter-schema.ts';
import { sendLetters, watchLetters } from '../../../core/letters/letter-job.ts';
import { queueLetters } from '../../../core/letters/letter-store.ts';
import { tellBackupFailing } from '../../../core/backup/backup-letter.ts';
import { startTestKernel, stillClock, type TestKernel } from '../../../test/kernel.ts';
import { mailServer } from '../../../test/mail-server.ts';
import { rejectionOf } from '../../../test/rejection.ts';
import { temporaryDirectory } from '../../../test/temporary.ts';
import { toolsOf } from '../../../test/tools.ts';
import { checkMasterKey } from '../keys/master-key-check.ts';
import { announceMasterKey, finishReplacement, replaceMasterKey } from '../keys/master-key-replacement.ts';
import { tlsPair } from '../testing/tls-pair.ts';
import { smtpCheck } from './smtp-check.ts';

/* Letters leave through a real SMTP server: once, by several processes, whatever that server does. */

const clock = stillClock();
const hour = 3_600_000;
let mail: Awaited<ReturnType<typeof mailServer>>;
let trivet: TestKernel;
let tools: Awaited<ReturnType<typeof toolsOf>>;

const settings = (more: Record<string, string> = {}) => ({
  ...mail.settings,
  operators: 'ops@example.org',
  ...more,
});

beforeAll(async () => {
  mail = await mailServer();
  trivet = await startTestKernel({ clock, settings: settings() });
  tools = await toolsOf(trivet);
});
afterAll(async () => {
  await trivet.stop();
  await mail.stop();
});
beforeEach(async () => {
  mail.behaviour.recipient = () => undefined;
  mail.behaviour.content = () => undefined;
  mail.letters.length = 0;
  clock.advance(3 * hour);
  await trivet.kernel.host.db.tx((q) => q.delete(outbox));
});

const send = (on = trivet) => sendLetters(on.kernel.host, new AbortController().signal);
const stored = () => trivet.kernel.host.db.q.select().from(outbox).orderBy(outbox.id);
const invite = (email: string, more: object = {}) =>
  tools.call('invite-user', { orgId: 1, email, ...more }) as Promise<Record<string, unknown>>;

describe('an invitation by e-mail', () => {
  test('arrives as text and HTML, and its link works', async () => {
    const made = await invite('Ann@example.org', { role: 'reader' });
    expect(made).toMatchObject({ letter: 'waiting', role: 'reader' });
    // The outbox has neither the code nor, once the letter was sent, the address.
    expect(JSON.stringify(await stored())).not.toContain(String(made['code']));
    await send();
    const [letter] = mail.letters;
    expect(letter).toMatchObject({ from: 'trivet@example.org', to: ['Ann@example.org'] });
    expect(letter?.mail.subject).toStartWith('Invitation to ');
    for (const body of [letter?.mail.text, letter?.mail.html]) {
      expect(body).toContain(String(made['link']));
      expect(body).toContain('with the role');
    }
    expect(letter?.header('auto-submitted')).toBe('auto-generated');
    expect(letter?.header('x-auto-response-suppress')).toBe('All');
    expect(letter?.header('list-unsubscribe')).toContain('/letters/end?t=');
    expect(letter?.header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    expect(await stored()).toMatchObject([{ status: 'sent', address: null, attempts: 1, failure: null }]);
    expect(JSON.stringify(await stored()).toLowerCase()).not.toContain('ann@example.org');
    const { accessToken } = await trivet.signIn('ann@example.org');
    expect(
      (await trivet.post('/api/tools/accept-invitation', { code: made['code'] }, accessToken)).body,
    ).toMatchObject({ role: 'reader' });
    await send();
    expect(mail.letters.length).toBe(1);
  });

  test('that was revoked before it left is not sent', async () => {
    const { invitationId } = await invite('bob@example.org');
    await tools.call('revoke-invitation', { orgId: 1, invitationId });
    await send();
    expect(mail.letters).toEqual([]);
    expect(await stored()).toMatchObject([{ status: 'unwanted', address: null }]);
  });

  test('that waits while the master key is replaced arrives under the new one', async () => {
    const keyFile = (letter: string) => {
      const path = join(temporaryDirectory('key'), 'key');
      writeFileSync(path, Buffer.alloc(32, letter).toString('base64'), { mode: 0o600 });
      return path;
    };
    const on = (letter: string, again?: TestKernel) =>
      startTestKernel({
        clock,
        settings: settings({ 'master-key-file': keyFile(letter) }),
        ...(again && { again }),
      });
    const former = await on('a');
    await checkMasterKey(former.kernel.host);
    const calls = await toolsOf(former);
    const made = await calls.call('invite-user', { orgId: 1, email: 'ann@example.org' });
    const next = Buffer.alloc(32, 'b');
    await announceMasterKey(former.kernel.host, next);
    await replaceMasterKey(former.kernel.host, next);
    const present = await on('b', former);
    await finishReplacement(present.kernel.host);
    // A server that was forgotten cannot open it, and does not give it up for the others.
    for (const server of [former, present, present]) await send(server).then(() => clock.advance(61_000));
    expect(mail.letters.map(({ to }) => to)).toEqual([['ann@example.org']]);
    expect(mail.letters[0]?.mail.text).toContain(String((made as { code: string }).code));
    await present.stop();
    await former.stop();
  });

  test('whose code no key opens any more has failed, which doctor says', async () => {
    await invite('ann@example.org');
    const { db } = trivet.kernel.host;
    await db.tx((q) => q.update(outbox).set({ facts: { invitationId: 1, by: 1, code: 'AAAA' } }));
    await send();
    expect(await stored()).toMatchObject([{ status: 'failed', failure: 'master_key', address: null }]);
    expect(trivet.logged.join('\n')).toMatch(/letter_failed.*master_key/);
    expect(await smtpCheck.run(trivet.kernel.host, { repair: false })).toMatchObject([
      { finding: 'letters_failed', warning: true },
    ]);
  });

  test.each(['bob', 'a@b.example, c@d.example', 'bob@example.org\r\nBcc: x@example.org'])(
    'to %j is refused',
    async (email) => {
      expect(await rejectionOf(invite(email))).toMatchObject({ code: 'INVALID_REQUEST' });
    },
  );

  test('needs a server that sends letters', async () => {
    const without = await startTestKernel({ clock });
    const { call } = await toolsOf(without);
    const refused = await rejectionOf(call('invite-user', { orgId: 1, email: 'ann@example.org' }));
    expect(refused).toMatchObject({ code: 'LETTERS_OFF' });
    expect(await call('invite-user', { orgId: 1 })).toMatchObject({ letter: 'none' });
    expect(await call('get-letter-settings', {})).toMatchObject({ sendsLetters: false });
    await without.stop();
  });
});

describe('a link that ends letters', () => {
  const linkOf = () => {
    const header = mail.letters.at(-1)?.header('list-unsubscribe') ?? '';
    return header.slice(1, -1).replace(trivet.origin, '');
  };

  test('does nothing when it is opened, and ends them by its button, once and for all', async () => {
    await invite('eve@example.org');
    await send();
    const path = linkOf();
    const page = await trivet.fetch(path);
    expect([page.status, await page.text()]).toEqual([
      200,
      expect.stringContaining('Invitations to') as string,
    ]);
    await invite('eve@example.org');
    await send();
    expect(mail.letters.length).toBe(2);
    // RFC 8058: no cookie, no Origin of ours.
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const pressed = await trivet.fetch(path, {
      method: 'POST',
      headers: form,
      body: 'List-Unsubscribe=One-Click',
    });
    expect(pressed.status).toBe(200);
    expect((await trivet.fetch(path, { method: 'POST', headers: form })).status).toBe(200);
    expect(await invite('EVE@example.org')).toMatchObject({ letter: 'refused' });
    expect(await invite('another@example.org')).toMatchObject({ letter: 'waiting' });
  });

  test.each([
    ['cut', (path: string) => path.slice(0, -3)],
    [
      'for another kind',
      (path: string) =>
        path.replace(/t=[^.]+/, `t=${Buffer.from('milestone-due user:1').toString('base64url')}`),
    ],
    ['with nothing', () => '/letters/end'],
    ['with a long text', () => `/letters/end?t=${'x'.repeat(10_000)}`],
  ])('%s is refused', async (_what, change) => {
    await invite('mallory@example.org');
    await send();
    const path = change(linkOf());
    expect((await trivet.fetch(path)).status).toBe(400);
    expect((await trivet.fetch(path, { method: 'POST' })).status).toBe(400);
  });
});

describe('the mail server', () => {
  test('is away: all letters wait, one attempt at a time, and arrive when it is back', async () => {
    for (const name of ['a', 'b', 'c']) await invite(`${name}@example.org`);
    mail.behaviour.recipient = () => 421;
    await send();
    expect((await stored()).map(({ status, attempts }) => [status, attempts])).toEqual([
      ['waiting', 1],
      ['waiting', 0],
      ['waiting', 0],
    ]);
    await send();
    expect((await stored()).map(({ attempts }) => attempts)).toEqual([1, 0, 0]);
    expect(await smtpCheck.run(trivet.kernel.host, { repair: false })).toEqual([]);
    mail.behaviour.recipient = () => undefined;
    clock.advance(61_000);
    await send();
    expect(mail.letters.map(({ to }) => to[0]).toSorted()).toEqual(
      ['a', 'b', 'c'].map((n) => `${n}@example.org`),
    );
    expect((await stored()).every(({ status }) => status === 'sent')).toBe(true);
  });

  test('refuses one address: that letter is given up, the others arrive', async () => {
    for (const name of ['good', 'unknown', 'full', 'fine']) await invite(`${name}@example.org`);
    mail.behaviour.recipient = (address) =>
      address.startsWith('unknown') ? 550 : address.startsWith('full') ? 452 : undefined;
    await send();
    expect((await stored()).map(({ status, failure }) => [status, failure])).toEqual([
      ['sent', null],
      ['failed', '550'],
      ['waiting', '452'],
      ['sent', null],
    ]);
    expect(trivet.logged.join('\n')).not.toContain('unknown@example.org');
    expect(await smtpCheck.run(trivet.kernel.host, { repair: false })).toMatchObject([
      { finding: 'letters_failed', warning: true },
    ]);
  });

  test('takes nothing for a day: the letter is given up', async () => {
    await invite('late@example.org');
    mail.behaviour.content = () => 451;
    let attempts = 0;
    for (; attempts < 60; attempts++) {
      await send();
      if ((await stored())[0]?.status !== 'waiting') break;
      clock.advance(hour);
    }
    expect(await stored()).toMatchObject([{ status: 'failed', failure: '451', address: null }]);
    expect(attempts).toBeGreaterThan(20);
    expect(attempts).toBeLessThan(26);
  });

  test('never answers: nobody waits for it, and a stopping server gives the letter back', async () => {
    const silence = Promise.withResolvers<undefined>();
    mail.behaviour.content = () => silence.promise;
    const began = performance.now();
    await invite('slow@example.org');
    expect(performance.now() - began).toBeLessThan(1_000);
    const stopping = new AbortController();
    const sending = sendLetters(trivet.kernel.host, stopping.signal);
    await Bun.sleep(200);
    expect(await tools.call('get-letter-settings', {})).toMatchObject({ sendsLetters: true });
    stopping.abort();
    await sending;
    silence.resolve(undefined);
    expect(await stored()).toMatchObject([{ status: 'waiting', attempts: 0 }]);
  });
});

const toOperators = (count: number, from = 0) =>
  trivet.kernel.host.db.tx((q) =>
    queueLetters(
      q,
      trivet.kernel.host,
      Array.from({ length: count }, (_, n) => ({
        kind: 'backup-failing',
        to: { address: 'ops@example.org' },
        about: `test ${from + n}`,
        facts: {},
      })),
    ),
  );

test('two processes send each letter once', async () => {
  const other = await startTestKernel({ clock, settings: settings(), again: trivet });
  for (let n = 0; n < 12; n++) await invite(`person${n}@example.org`);
  for (let run = 0; run < 4; run++) await Promise.all([send(trivet), send(other)]);
  expect(mail.letters.map(({ to }) => to[0]).toSorted()).toEqual(
    Array.from({ length: 12 }, (_, n) => `person${n}@example.org`).toSorted(),
  );
  await other.stop();
});

test('a letter that a killed process had taken is sent by another one later', async () => {
  await toOperators(1);
  const { host } = trivet.kernel;
  const { takeLetters } = await import('../../../core/letters/letter-store.ts');
  const taking = { now: clock.now(), leaseMs: hour, most: 10, perHour: 10, perPersonAndHour: 10 };
  expect((await host.db.tx((q) => takeLetters(q, taking))).length).toBe(1);
  await send();
  expect(mail.letters).toEqual([]);
  clock.advance(hour);
  await send();
  expect(mail.letters.length).toBe(1);
});

/** @see They waited until it was as late again as the clock had shown. */
test('letters of a clock that was ahead, and those after a failure by it, are sent once it is right', async () => {
  const day = 24 * hour;
  clock.advance(day);
  await toOperators(1);
  mail.behaviour.recipient = () => 421;
  await send();
  mail.behaviour.recipient = () => undefined;
  await toOperators(1, 1);
  clock.advance(-day);
  for (let run = 0; run < 2; run++) await send();
  expect(mail.letters.length).toBe(2);
});

test('letters to one person, and all letters, are limited per hour; the rest waits', async () => {
  const on = await startTestKernel({
    clock,
    settings: settings({ 'rate-letters': '5', 'rate-letters-person': '2' }),
    again: trivet,
  });
  await toOperators(4);
  for (let n = 0; n < 6; n++) await invite(`p${n}@example.org`);
  for (let run = 0; run < 4; run++) await send(on);
  const sentTo = (address: string) => mail.letters.filter(({ to }) => to[0] === address).length;
  expect([mail.letters.length, sentTo('ops@example.org')]).toEqual([5, 2]);
  clock.advance(hour + 1);
  for (let run = 0; run < 4; run++) await send(on);
  expect([mail.letters.length, sentTo('ops@example.org')]).toEqual([10, 4]);
  await on.stop();
});

test('the same letter is stored once', async () => {
  expect([await toOperators(3), await toOperators(3), await toOperators(3, 2)]).toEqual([3, 0, 2]);
});

test('operators get a letter about a failing backup, once a day', async () => {
  const { host } = trivet.kernel;
  await tellBackupFailing(host);
  await tellBackupFailing(host);
  await send();
  expect(mail.letters).toMatchObject([{ to: ['ops@example.org'] }]);
  expect(mail.letters[0]?.mail.text).toContain('No backup has been made yet.');
  // A setting of the server is not switched off by a link.
  expect(mail.letters[0]?.header('list-unsubscribe')).toBeUndefined();
  clock.advance(24 * hour);
  await tellBackupFailing(host);
  await send();
  expect(mail.letters.length).toBe(2);
});

test('metrics count what was sent, failed and waits', async () => {
  watchLetters(trivet.kernel.host);
  await invite('m@example.org');
  mail.behaviour.content = () => 451;
  await send();
  const of = (name: string) => trivet.counts.snapshot().find((metric) => metric.name === name)?.series ?? [];
  const outcomes = of('trivet_letters_total').map(({ labels }) => labels.join(' '));
  for (const outcome of ['sent', 'failed', 'unwanted', 'retried'])
    expect(outcomes).toContain(`invitation ${outcome}`);
  expect(of('trivet_letters_waiting')).toMatchObject([{ value: 1 }]);
});

test('each process shows how many letters wait, whichever of them sends', async () => {
  const other = await startTestKernel({ clock, settings: settings(), again: trivet });
  watchLetters(other.kernel.host);
  const shown = async (one: TestKernel) => {
    await send(one);
    return one.counts.snapshot().find(({ name }) => name === 'trivet_letters_waiting')?.series[0]?.value;
  };
  mail.behaviour.content = () => 451;
  await toOperators(2);
  expect([await shown(trivet), await shown(other)]).toEqual([2, 2]);
  await toOperators(1, 2);
  expect([await shown(other), await shown(trivet)]).toEqual([3, 3]);
  mail.behaviour.content = () => undefined;
  clock.advance(hour);
  expect([await shown(other), await shown(trivet)]).toEqual([0, 0]);
  await other.stop();
});

test('a person switches kinds of letters off and on', async () => {
  const kinds = ['milestone-due', 'newly-failing'];
  const isOn = (answer: unknown) =>
    (answer as { kinds: Array<{ kind: string; isOn: boolean }> }).kinds
      .toSorted((a, b) => a.kind.localeCompare(b.kind))
      .map((one) => one.isOn);
  const before = await tools.call('get-letter-settings', {});
  expect(before).toMatchObject({ sendsLetters: true });
  expect((before as { kinds: Array<{ kind: string }> }).kinds.map(({ kind }) => kind).toSorted()).toEqual(
    kinds,
  );
  const set = (kind: string, on: boolean) => tools.call('set-letter-setting', { kind, isOn: on });
  expect(isOn(await set('newly-failing', false))).toEqual([true, false]);
  expect(isOn(await set('newly-failing', true))).toEqual([true, true]);
  // An invitation is to an address, and a failing backup is a setting.
  expect(await rejectionOf(set('backup-failing', false))).toMatchObject({ code: 'INVALID_REQUEST' });
});

describe('TLS and login', () => {
  const pair = tlsPair('localhost');
  const findings = async (url: string, more: Record<string, string> = {}) => {
    const on = await startTestKernel({
      clock,
      settings: { ...settings(), 'smtp-url': url, 'smtp-tls': 'required', ...more },
      again: trivet,
    });
    const found = await smtpCheck.run(on.kernel.host, { repair: false });
    await on.stop();
    return found.filter(({ finding }) => finding === 'smtp_failing');
  };

  test('a server without STARTTLS, or with a certificate that nobody vouches for, gets nothing', async () => {
    expect(await findings(mail.url)).toMatchObject([
      { message: expect.stringContaining('cannot be used') as string },
    ]);
    for (const secure of [false, true]) {
      const server = await mailServer({ tls: pair, secure });
      expect(await findings(server.url)).toMatchObject([{ finding: 'smtp_failing' }]);
      await server.stop();
    }
  });

  test('a wrong password is named, without the password', async () => {
    const server = await mailServer({ login: { user: 'trivet', password: 'right' } });
    const { writeFileSync } = await import('node:fs');
    const { join } = await import('node:path');
    const { temporaryDirectory } = await import('../../../test/temporary.ts');
    const file = join(temporaryDirectory('smtp'), 'password');
    const login = { 'smtp-tls': 'none', 'smtp-user': 'trivet', 'smtp-password-file': file };
    writeFileSync(file, 'wrong-secret', { mode: 0o600 });
    const found = await findings(server.url, login);
    expect(found).toMatchObject([
      {
        message: 'The mail server answered 535, so no letters are sent.',
        remedy: expect.stringContaining('--smtp-password-file') as string,
      },
    ]);
    expect(JSON.stringify(found)).not.toContain('wrong-secret');
    writeFileSync(file, 'right', { mode: 0o600 });
    expect(await findings(server.url, login)).toEqual([]);
    await server.stop();
  });
});
