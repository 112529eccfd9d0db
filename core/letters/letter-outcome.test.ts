import { expect, test } from 'bun:test';
import { afterAttempt, givenUpMs, letterPauseMs, sendFailureOf, type SmtpProblem } from './letter-outcome.ts';

test.each<[what: string, problem: SmtpProblem, word: string, about: string]>([
  ['an unknown address', { code: 'EENVELOPE', responseCode: 550, command: 'RCPT TO' }, '550', 'letter'],
  ['a full mailbox', { code: 'EENVELOPE', responseCode: 452, command: 'RCPT TO' }, '452', 'later'],
  ['greylisting', { code: 'EENVELOPE', responseCode: 450, command: 'RCPT TO' }, '450', 'later'],
  ['a refused content', { code: 'EMESSAGE', responseCode: 554, command: 'DATA' }, '554', 'letter'],
  ['a refused sender', { code: 'EENVELOPE', responseCode: 553, command: 'MAIL FROM' }, '553', 'server'],
  ['a wrong password', { code: 'EAUTH', responseCode: 535, command: 'AUTH PLAIN' }, '535', 'server'],
  ['a server that goes', { code: 'EENVELOPE', responseCode: 421, command: 'RCPT TO' }, '421', 'server'],
  ['no STARTTLS', { code: 'ETLS', responseCode: 500, command: 'STARTTLS' }, 'ETLS', 'server'],
  [
    'nobody listens',
    { code: 'ESOCKET', originalCode: 'ECONNREFUSED', command: 'CONN' },
    'ECONNREFUSED',
    'server',
  ],
  ['a connection that broke', { code: 'ESOCKET', command: 'CONN' }, 'ESOCKET', 'server'],
  ['no answer in time', { code: 'ETIMEDOUT', command: 'DATA' }, 'ETIMEDOUT', 'server'],
  ['an error with no code', {}, 'failed', 'server'],
  ['a code that quotes something', { code: 'ann@example.org' }, 'failed', 'server'],
])('%s', (_what, problem, word, about) => {
  expect(sendFailureOf(problem)).toEqual({ word, about } as never);
});

test.each([
  [1, 0, 30_000],
  [1, 1, 60_000],
  [3, 1, 240_000],
  [7, 1, 3_600_000],
  [500, 1, 3_600_000],
])('after %i attempts, chance %d: %i ms', (attempts, chance, ms) => {
  expect(letterPauseMs(attempts, chance)).toBe(ms);
});

test('a letter is repeated until it is a day old, and given up at once when it is refused', () => {
  const at = { now: 1_000_000, chance: 1 };
  const server = { word: 'ESOCKET', about: 'server' } as const;
  expect(afterAttempt(null, { attempts: 1, createdAt: 0 }, at)).toEqual({ status: 'sent' });
  expect(afterAttempt(server, { attempts: 1, createdAt: at.now }, at)).toEqual({
    status: 'waiting',
    failure: 'ESOCKET',
    dueAt: at.now + 60_000,
  });
  expect(afterAttempt(server, { attempts: 30, createdAt: at.now - givenUpMs }, at)).toEqual({
    status: 'failed',
    failure: 'ESOCKET',
  });
  expect(afterAttempt({ word: '550', about: 'letter' }, { attempts: 1, createdAt: at.now }, at)).toEqual({
    status: 'failed',
    failure: '550',
  });
});
