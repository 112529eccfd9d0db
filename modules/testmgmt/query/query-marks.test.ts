import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { randomFrom } from '../../../test/verify/scale.ts';
import { tests } from '../base/schema.ts';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';
import { markTexts } from './query-mark-store.ts';
import { marksOf, marksOfWord } from './query-marks.ts';

/** Whether a text has all marks of a word. */
const mayHave = (texts: readonly string[], word: string) => {
  const marks = marksOf(texts).map(BigInt);
  return marksOfWord(word).every((wanted, n) => ((marks[n] ?? 0n) & BigInt(wanted)) === BigInt(wanted));
};

describe('marks', () => {
  test.each<[string, string, boolean]>([
    ['Pay by refund', 'refund', true],
    ['Pay by refund', 'FUND', true],
    ['Pay by refund', 'invoice', false],
    ['Straße', 'Straße', true],
    ['Straße', 'strasse', false],
    ['anything', 'ab', true],
    ['', 'abc', false],
    ['a "quoted" text', 'a "quoted" text', true],
    [JSON.stringify('a "quoted" text'), 'a "quoted" text', true],
    [JSON.stringify('back\\slash\n'), 'back\\slash\n', true],
  ])('%p may contain %p: %p', (text, word, wanted) => expect(mayHave([text], word)).toBe(wanted));

  test('every part of a text may be in it', () => {
    const random = randomFrom(11);
    const letters = 'abcXYZ äß漢字"\\\n-1😀';
    for (let n = 0; n < 5_000; n++) {
      const text = Array.from({ length: 40 }, () => random.pick([...letters])).join('');
      const from = random.below(35);
      const part = text.slice(from, from + 1 + random.below(12));
      expect([text, part, mayHave([text], part), mayHave([JSON.stringify(text)], part)]).toEqual([
        text,
        part,
        true,
        true,
      ]);
    }
  });
});

describe('tests are marked', () => {
  let trivet: TestmgmtKernel;
  let projectId: number;
  beforeAll(async () => {
    trivet = await startTestmgmtKernel();
    projectId = await trivet.makeProject();
  });
  afterAll(() => trivet.stop());

  const found = async (query: string) =>
    ((await trivet.call('get-tests', { projectId, query }))['tests'] as Array<{ testId: number }>).map(
      ({ testId }) => testId,
    );
  const host = () => ({ db: trivet.kernel.host.db, clock: trivet.clock });

  test('found as before, marked or not, and after a change by a server that knows no marks', async () => {
    const [pay = 0, steps = 0] = await trivet.makeTests(projectId, 2, { testDescription: 'a gift card' });
    await trivet.call('update-test', { testId: steps, steps: [{ action: 'Refund it', data: 'x "y"' }] });
    const answers = async () => [
      await found('"gift card"'),
      await found('refund'),
      await found('"x \\"y\\""'),
      await found('-refund'),
    ];
    const wanted = [[pay, steps], [steps], [steps], [pay]];
    expect(await answers()).toEqual(wanted);
    expect(await markTexts(host())).toBe(0);
    trivet.clock.advance(20_000);
    expect(await markTexts(host())).toBe(2);
    expect(await markTexts(host())).toBe(0);
    expect(await answers()).toEqual(wanted);
    await trivet.call('update-test', { testId: pay, preconditions: 'none' });
    expect(await markTexts(host())).toBe(0);
    expect(await answers()).toEqual(wanted);
    await trivet.call('update-test', { testId: steps, testDescription: 'a gift card of paper' });
    expect(await found('paper')).toEqual([steps]);
    trivet.clock.advance(20_000);
    expect(await markTexts(host())).toBe(1);
    expect([await found('paper'), ...(await answers())]).toEqual([[steps], ...wanted]);
    const change = { description: 'an invoice', updatedAt: trivet.clock.now() };
    await trivet.kernel.host.db.tx((q) => q.update(tests).set(change).where(eq(tests.id, pay)));
    expect([await found('"gift card"'), await found('invoice')]).toEqual([[steps], [pay]]);
    trivet.clock.advance(20_000);
    expect(await markTexts(host())).toBe(1);
    expect([await found('"gift card"'), await found('invoice')]).toEqual([[steps], [pay]]);
  });

  test('a marked test whose texts are not looked at is not found: the marks are used', async () => {
    const [made = 0] = await trivet.makeTests(projectId, 1, { testDescription: 'zebra' });
    trivet.clock.advance(20_000);
    await markTexts(host());
    // Changes a text without its marks, which no real code does.
    await trivet.kernel.host.db.tx((q) =>
      q.update(tests).set({ description: 'walrus' }).where(eq(tests.id, made)),
    );
    expect([await found('walrus'), await found('zebra')]).toEqual([[], []]);
  });
});
