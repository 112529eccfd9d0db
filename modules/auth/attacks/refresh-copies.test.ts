import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { TestAnswer } from '../../../test/kernel.ts';
import { startAttacked } from '../testing/attacked-server.ts';
import { causeOf, isLive, sessionRow, signIn } from '../testing/refreshing.ts';

// Starting real servers takes its time on a busy machine.
setDefaultTimeout(60_000);

const attacked = await startAttacked({});
afterAll(() => attacked.end());

/**
 * A client presents the token of a generation, maybe some milliseconds after the last step, with this outcome:
 * `thief 0 +30001 reused`.
 */
const stepForm = /^(?:victim|thief) (\d+)(?: \+(\d+))? (\w+)$/;

describe('copies of a refresh token', () => {
  const stands: ReadonlyArray<readonly [string, string]> = [
    ['each token once', 'victim 0 ok, victim 1 ok, victim 2 +1000000000 ok'],
    [
      'a lost answer: the parent again, at the last moment of the grace',
      'victim 0 ok, victim 0 +30000 ok, victim 1 ok',
    ],
    [
      'a lost answer, noticed when the app is opened in the morning',
      'victim 0 ok, victim 0 +28800000 ok, victim 1 ok',
    ],
    ['a lost answer, at the last moment of a day', 'victim 0 ok, victim 0 +86400000 ok, victim 1 +60000 ok'],
    [
      'a tab that slept while another one refreshed and used its access token',
      'victim 0 ok, victim 0 +600000 ok, victim 1 +5 ok, victim 1 +600000 ok',
    ],
    [
      'the grace is counted from the rotation, each rotation anew',
      'victim 0 ok, victim 1 +60000 ok, victim 1 +30000 ok',
    ],
  ];
  const caught: ReadonlyArray<readonly [string, string]> = [
    ['replayed a moment after a day', 'victim 0 ok, thief 0 +86400001 reused'],
    ['replayed after its successor was used', 'victim 0 ok, victim 1 +900000 ok, thief 0 +10 reused'],
    ['replayed days later', 'victim 0 ok, thief 0 +432000000 reused'],
    [
      'used by the thief, then by the victim after the thief went on',
      'thief 0 ok, thief 1 +900000 ok, victim 0 +1000 reused',
    ],
    [
      'the parent once inside the grace and once after a day',
      'victim 0 ok, victim 0 +15000 ok, thief 0 +86385001 reused',
    ],
    ['the grandparent inside the grace', 'victim 0 ok, victim 1 +10 ok, thief 0 +10 reused'],
    ['the grandparent after the grace', 'victim 0 ok, victim 1 +10 ok, thief 0 +60000 reused'],
    [
      'the grandparent after the parent was repeated',
      'victim 0 ok, victim 1 ok, victim 1 +5 ok, thief 0 +5 reused',
    ],
    [
      'an ancestor of long ago',
      'victim 0 ok, victim 1 +1000000 ok, victim 2 +1000000 ok, victim 3 +1000000 ok, thief 0 reused',
    ],
    [
      'inside the grace, the thief first at the next round',
      'thief 0 ok, victim 0 +5000 ok, thief 1 +600000 ok, victim 1 +30001 ok, victim 2 +600000 ok, victim 3 +600000 ok, thief 2 +1 reused',
    ],
    [
      'inside the grace, the victim first at the next round',
      'victim 0 ok, thief 0 +5000 ok, victim 1 +600000 ok, victim 2 +600000 ok, thief 1 +30001 reused',
    ],
    [
      'inside the grace twice, caught at the round after',
      'thief 0 ok, victim 0 +9 ok, victim 1 +9 ok, thief 1 +9 ok, thief 2 +60000 ok, thief 3 +60000 ok, victim 2 +60000 reused',
    ],
    [
      'inside the grace, then the thief falls behind',
      'victim 0 ok, thief 0 +9 ok, victim 1 +9 ok, victim 2 +9 ok, thief 1 +9 reused',
    ],
  ];

  /** Plays the steps. The successor of a generation must be the same for every client. */
  async function play(steps: string) {
    const [session, sameUser, otherUser] = [
      await signIn(attacked),
      await signIn(attacked),
      await signIn(attacked, 'bystander@example.org'),
    ];
    const tokens = [session.refresh];
    const access = [session.access];
    for (const step of steps.split(', ')) {
      const [, from = '', afterMs = '0', expected = ''] = stepForm.exec(step) ?? [];
      const generation = Number(from);
      attacked.clock.advance(Number(afterMs));
      const answer = await attacked.refresh(tokens[generation]);
      expect(`${step}: ${String(causeOf(answer))}`).toBe(`${step}: ${expected}`);
      if (expected !== 'ok') continue;
      const successor = String(answer.body['refreshToken']);
      expect(successor).toBe(tokens[generation + 1] ?? successor);
      tokens[generation + 1] = successor;
      access.push(String(answer.body['accessToken']));
    }
    return { session, tokens, access, others: [sameUser, otherUser] };
  }

  test.each(stands)('%s: the session stands', async (_title, steps) => {
    const { session, tokens } = await play(steps);
    expect(await sessionRow(attacked, session.sid)).toMatchObject({ revokedAt: null });
    expect(causeOf(await attacked.refresh(tokens.at(-1)))).toBe('ok');
  });

  test.each(caught)('%s: the whole session ends, and no other', async (_title, steps) => {
    const { session, tokens, access, others } = await play(steps);
    expect(await sessionRow(attacked, session.sid)).toMatchObject({
      revokedReason: 'refresh_reuse',
      revokedAt: attacked.clock.now(),
    });
    for (const token of tokens) {
      expect(await attacked.outcome(() => attacked.refresh(token))).toEqual({
        status: 401,
        code: 'INVALID_REFRESH_TOKEN',
        cause: 'revoked',
        changed: [],
        recorded: [],
      });
    }
    for (const token of access) expect(await isLive(attacked, token)).toBe(false);
    for (const other of others) {
      expect(await sessionRow(attacked, other.sid)).toMatchObject({ revokedAt: null, generation: 0 });
      const answer = await attacked.refresh(other.refresh);
      expect(causeOf(answer)).toBe('ok');
      expect(await isLive(attacked, String(answer.body['accessToken']))).toBe(true);
    }
  });

  test('the end is recorded once, with the session and nothing of the token', async () => {
    const { sid, refresh } = await signIn(attacked);
    await attacked.refresh(refresh);
    attacked.clock.advance(86_400_001);
    const { changed, recorded } = await attacked.outcome(() => attacked.refresh(refresh));
    const userId = Number((await sessionRow(attacked, sid))?.userId);
    expect({ changed, recorded }).toEqual({
      changed: ['sessions'],
      recorded: [{ event: 'refresh_reuse', userId, sessionId: sid, address: '127.0.0.1' }],
    });
  });

  test('100 uses inside the grace, and the 101st ends it', async () => {
    const { sid, refresh, access } = await signIn(attacked);
    expect(causeOf(await attacked.refresh(refresh))).toBe('ok');
    const answers = await Promise.all(Array.from({ length: 100 }, () => attacked.refresh(refresh)));
    expect(new Set(answers.map(causeOf))).toEqual(new Set(['ok']));
    expect(new Set(answers.map(({ body }) => body['refreshToken'])).size).toBe(1);
    expect(await sessionRow(attacked, sid)).toMatchObject({ generation: 1, graceUses: 100, revokedAt: null });
    expect(causeOf(await attacked.refresh(refresh))).toBe('reused');
    expect(await isLive(attacked, access)).toBe(false);
  });

  test('50 at once of a parent that is too late: one finds the reuse, all are refused, one record', async () => {
    const { refresh } = await signIn(attacked);
    await attacked.refresh(refresh);
    attacked.clock.advance(86_400_001);
    let answers: TestAnswer[] = [];
    const { recorded } = await attacked.outcome(async () => {
      answers = await Promise.all(Array.from({ length: 50 }, () => attacked.refresh(refresh)));
      return { status: 0, headers: new Headers(), body: {} };
    });
    expect(answers.map(causeOf).toSorted()).toEqual(['reused', ...Array<string>(49).fill('revoked')]);
    expect(recorded).toHaveLength(1);
  });

  test('without a grace the second use ends it at once', async () => {
    const strict = await startAttacked({}, { 'rotation-grace': '0' });
    const { refresh } = await signIn(strict, 'no-grace@example.org');
    const answer = await strict.refresh(refresh);
    expect(causeOf(answer)).toBe('ok');
    expect(causeOf(await strict.refresh(refresh))).toBe('reused');
    expect(await isLive(strict, String(answer.body['accessToken']))).toBe(false);
    await strict.end();
  });
});

test('50 at once: 50 answers, one successor, one rotation', async () => {
  const { sid, refresh } = await signIn(attacked);
  let answers: TestAnswer[] = [];
  const { changed, recorded } = await attacked.outcome(async () => {
    answers = await Promise.all(Array.from({ length: 50 }, () => attacked.refresh(refresh)));
    return { status: 0, headers: new Headers(), body: {} };
  });
  expect(answers.map(causeOf)).toEqual(Array<string>(50).fill('ok'));
  expect(new Set(answers.map(({ body }) => body['refreshToken'])).size).toBe(1);
  expect(await sessionRow(attacked, sid)).toMatchObject({ generation: 1, graceUses: 49, revokedAt: null });
  expect(changed).toEqual(['sessions']);
  expect(recorded).toHaveLength(50);
  expect(recorded.filter((event) => !('cause' in event))).toHaveLength(1);
  for (const { body } of answers) expect(await isLive(attacked, String(body['accessToken']))).toBe(true);
});
