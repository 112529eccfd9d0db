import { afterAll, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { stillClock } from '../../../test/kernel.ts';
import { deltaPath, launchPath, machineAt, startCtaKernel } from './cta-kernel.ts';

/*
 * Bodies that are nearly right: in every place of a whole body, every kind of wrong value, or the place is left out, doubled or renamed; or
 * the text is cut off anywhere or has bytes flipped. Each body is either refused with INVALID_REQUEST and changes nothing, or accepted; the
 * user's next launch succeeds either way.
 */
const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const clock = stillClock();
const now = clock.now();
const trivet = await startCtaKernel(clock);
const live = await trivet.makeCta({}, 'LIVE');
await trivet.call('create-behaviour-tag', {
  behaviourTagName: 'tag',
  exposureRule: { session: { limit: 1 } },
  ctaRelation: { shownCta: { rule: 'ANY' }, hideCta: { rule: 'REST' } },
});
afterAll(() => trivet.stop());

/** Must never occur in a refusal. */
const marker = 'HOSTILE_VALUE';

const whole = () => ({
  ctas: [
    {
      ctaId: live,
      activeStateMachines: {
        default: machineAt(now, { context: { order: { id: 1 }, list: [1, 'x'] }, reset: false }),
        gone: machineAt(now, { reset: true, lastTransitionAt: 20 }),
      },
      resetAt: [1, 2],
      actionDoneAt: [3],
    },
    { ctaId: 'unknown', activeStateMachines: {}, resetAt: [] },
  ],
  behaviourTags: [
    {
      behaviourTagName: 'tag',
      exposureRule: {
        session: { limit: 1 },
        window: { limit: 2, unit: 'days', value: 3 },
        lifespan: { limit: 4 },
        ctasResetAt: [{ ctaId: live, resetAt: 5 }, 6],
      },
      ctaRelation: {
        shownCta: { rule: 'ANY', ctaList: [] },
        hideCta: { rule: 'REST', ctaList: [] },
        activeCtas: [live],
      },
    },
  ],
});

/** JSON texts, since no program would write some of them. */
const wrongValues = [
  'null',
  'true',
  'false',
  '0',
  '-0',
  '-1',
  '1.5',
  '1e3',
  '1e400',
  '-1e400',
  '9007199254740991',
  '9007199254740992',
  '-9007199254740993',
  '9223372036854775807',
  '""',
  '" "',
  `"${marker}"`,
  '"0"',
  '"__proto__"',
  '"constructor"',
  '"\\u0000"',
  '"\\ud800"',
  '"\\ud83d\\ude00"',
  `"${'x'.repeat(257)}"`,
  '[]',
  '[null]',
  '[[]]',
  `["${marker}"]`,
  '[1,1,1]',
  '[{}]',
  '{}',
  '{"":0}',
  '{"__proto__":{"currentState":"1","lastTransitionAt":1,"createdAt":1}}',
  '{"toString":1,"valueOf":null}',
  '{"length":5}',
  '{"removed":true,"lastTransitionAt":1,"receivedAt":1}',
  `${'['.repeat(80)}${']'.repeat(80)}`,
  `${'{"a":'.repeat(80)}1${'}'.repeat(80)}`,
];

type Path = readonly (string | number)[];

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const keys = Array.isArray(value) ? value.map((_, index) => index) : Object.keys(value);
  return [
    path,
    ...keys.flatMap((key) => pathsOf((value as Record<string | number, unknown>)[key], [...path, key])),
  ];
}

/** The text of a body in which each part may be replaced; `undefined` leaves it out. */
function written(
  value: unknown,
  path: Path,
  other: (path: Path, text: string) => string | undefined,
): string | undefined {
  const inner = (key: string | number) =>
    written((value as Record<string | number, unknown>)[key], [...path, key], other);
  const text = Array.isArray(value)
    ? `[${value.flatMap((_, index) => inner(index) ?? []).join(',')}]`
    : typeof value === 'object' && value !== null
      ? `{${Object.keys(value)
          .flatMap((key) => {
            const part = inner(key);
            return part === undefined ? [] : `${JSON.stringify(key)}:${part}`;
          })
          .join(',')}}`
      : JSON.stringify(value);
  return other(path, text);
}

function corpus(): (string | Uint8Array)[] {
  const body = whole();
  const sound = JSON.stringify(body);
  const all: (string | Uint8Array)[] = [];
  const isAt = (path: Path, place: Path) =>
    path.join('\n') === place.join('\n') && path.length === place.length;
  const change = (place: Path, to: (text: string) => string | undefined) =>
    all.push(written(body, [], (path, text) => (isAt(path, place) ? to(text) : text)) ?? '');
  for (const place of pathsOf(body)) {
    for (const wrong of wrongValues) change(place, () => wrong);
    change(place, () => undefined);
    change(place, (text) => `${text}${text}`);
    change(place, (text) => `[${text}]`);
    change(place, (text) => `{"value":${text}}`);
    change(place, (text) => JSON.stringify(text));
  }
  for (let at = 0; at < sound.length; at++) all.push(sound.slice(0, at));
  const bytes = new TextEncoder().encode(sound);
  const flips = fc.sample(
    fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }),
    { seed, numRuns: 2500 },
  );
  for (const flip of flips) {
    const turned = bytes.slice();
    for (const [at, byte] of flip) turned[at] = byte;
    all.push(turned);
  }
  return all;
}

test(`thousands of bodies that are nearly right (SEED=${seed})`, async () => {
  const bodies = corpus();
  expect(bodies.length).toBeGreaterThanOrEqual(5000);
  const seen = { refused: 0, taken: 0 };

  const tryOne = async (body: string | Uint8Array, index: number) => {
    const userId = String(1_000_000 + index);
    const post = (path: string, sent?: string | Uint8Array) =>
      trivet.fetch(path, {
        method: 'POST',
        headers: { 'auth-userid': userId, api_version: '1', 'content-type': 'application/json' },
        ...(sent !== undefined && { body: sent }),
      });
    const answer = await post(index % 2 === 0 ? deltaPath : launchPath, body);
    const text = await answer.text();
    const shown =
      typeof body === 'string' ? body.slice(0, 300) : Buffer.from(body).toString('latin1').slice(0, 300);
    if (answer.status === 200) seen.taken++;
    else {
      seen.refused++;
      const { error } = JSON.parse(text) as { error: { code: string; message: string } };
      expect([answer.status, error.code, shown]).toEqual([400, 'INVALID_REQUEST', shown]);
      expect(error.message).toStartWith('Invalid request: ');
      expect(text).not.toContain(marker);
      expect([shown, await trivet.stored(userId)]).toEqual([shown, null]);
    }
    const later = await post(launchPath);
    const laterText = await later.text();
    expect([later.status, shown]).toEqual([200, shown]);
    const { data } = JSON.parse(laterText) as {
      data: { ctas: { activeStateMachines: Record<string, unknown> }[] };
    };
    expect(data.ctas.length).toBe(1);
    for (const machine of Object.values(data.ctas[0]?.activeStateMachines ?? {})) {
      expect(machine).toMatchObject({
        currentState: expect.any(String),
        lastTransitionAt: expect.any(Number),
        createdAt: expect.any(Number),
      });
    }
  };
  for (let at = 0; at < bodies.length; at += 32) {
    await Promise.all(bodies.slice(at, at + 32).map((body, index) => tryOne(body, at + index)));
  }
  // Both kinds occur: a corpus that is refused completely, or accepted completely, tests nothing.
  expect(seen.refused).toBeGreaterThan(2000);
  expect(seen.taken).toBeGreaterThan(500);
}, 240_000);
