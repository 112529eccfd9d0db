import { expect, test } from 'bun:test';
import { Webhook } from 'standardwebhooks';
import { keyOf, retryAfterOf, retryPause, signedHeaders } from '../examples/plugins/webhooks.ts';

/* The parts of examples/plugins/webhooks.ts that are pure functions of data. */
const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;

test.each<readonly [number, number, number, number, number]>([
  [1, 5_000, 0, 0, 2_500],
  [1, 5_000, 1, 0, 5_000],
  [2, 5_000, 1, 0, 20_000],
  [3, 5_000, 0.5, 0, 60_000],
  [9, 5_000, 1, 0, 86_400_000],
  [50, 5_000, 0, 0, 43_200_000],
  [1, 5_000, 1, 60_000, 60_000],
  [1, 5_000, 1, 1e12, 86_400_000],
])(
  'the pause after attempt %p of %p ms, chance %p, Retry-After %p is %p ms',
  (attempt, base, chance, after, ms) => {
    expect(retryPause(attempt, base, chance, after)).toBe(ms);
  },
);

test.each<readonly [string, number | undefined]>([
  [secret, 32],
  [`${secret}\n`, 32],
  [`whsec_${Buffer.alloc(24).toString('base64')}`, 24],
  [`whsec_${Buffer.alloc(23).toString('base64')}`, undefined],
  [`whsec_${Buffer.alloc(65).toString('base64')}`, undefined],
  ['whsec_????', undefined],
  [secret.slice(6), undefined],
  ['', undefined],
])('the secret %p', (text, bytes) => expect(keyOf(text)?.length).toBe(bytes));

test('the signature is that of the library, for any text', async () => {
  const now = new Date(Math.floor(Date.now() / 1_000) * 1_000);
  const key = keyOf(secret);
  if (!key) throw new Error('no key');
  for (const body of ['{}', '{"name":"Ünïcödé 🎉"}', `"${'x'.repeat(100_000)}"`]) {
    const headers = await signedHeaders('msg_1', now.getTime() / 1_000, body, key);
    expect(headers['webhook-signature']).toBe(new Webhook(secret).sign('msg_1', now, body));
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
  }
});

test.each([
  [null, 0],
  ['', 0],
  ['120', 120_000],
  ['-5', 0],
  ['soon', 0],
  ['Fri, 27 Nov 2026 12:01:30 GMT', 90_000],
  ['Fri, 27 Nov 2026 11:00:00 GMT', 0],
])('Retry-After: %p is a pause of %p ms', (header, pause) => {
  expect(retryAfterOf(header, Date.parse('2026-11-27T12:00:00Z'))).toBe(pause);
});
