import { describe, expect, test } from 'bun:test';
import { randomFrom } from '../../../test/verify/scale.ts';
import type { CaseBase } from './case-base.ts';
import { comparedContent, type TestContent } from './case-content.ts';
import { CaseFileFault, readDocument, writtenDocument, type CaseBlock } from './case-document.ts';
import { planPull } from './case-pull.ts';
import { planPush } from './case-push.ts';
import { changedBlock, newBlock } from './case-rewrite.ts';
import { readTree } from './case-tree.ts';

const empty: Omit<TestContent, 'section'> = {
  testName: 'T',
  testDescription: '',
  preconditions: '',
  steps: [],
  priority: null,
  type: null,
  automationStatus: null,
  platform: null,
  testCoveredBy: null,
  squad: null,
  labels: [],
  estimateSeconds: null,
};

const whole = `---
title: ours
---
# Payment

<!-- test
id: @T12
priority: High
owner: ann
labels: smoke, "a, b"
estimate: 5m
-->

## Pay by card

With a *valid* card.

### Preconditions

An account

### Steps

1. Open the page
   - nested
   Data: https://shop.example
   Expected: It is there
2. Pay
   Expected: Thanks
   \`\`\`
   ## not a test
   \`\`\`

### Notes

Stay as they are.

## Leave

\`\`\`md
## in a fence
\`\`\`
`;

describe('a file', () => {
  test('is read into its tests', () => {
    const { preamble, blocks } = readDocument(whole);
    expect(preamble).toBe('---\ntitle: ours\n---\n# Payment\n\n');
    expect(blocks.map(({ testId, line }) => [testId, line])).toEqual([
      [12, 14],
      [null, 38],
    ]);
    expect(blocks.map(({ content }) => content)).toEqual([
      {
        ...empty,
        testName: 'Pay by card',
        testDescription: 'With a *valid* card.\n\n### Notes\n\nStay as they are.',
        preconditions: 'An account',
        steps: [
          { action: 'Open the page\n- nested', data: 'https://shop.example', expected: 'It is there' },
          { action: 'Pay', expected: 'Thanks\n```\n## not a test\n```' },
        ],
        priority: 'High',
        labels: ['a, b', 'smoke'],
        estimateSeconds: 300,
      },
      { ...empty, testName: 'Leave', testDescription: '```md\n## in a fence\n```' },
    ]);
  });

  test.each([
    ['as it is', whole],
    ['with CRLF', whole.replaceAll('\n', '\r\n')],
    ['with a byte order mark', `\ufeff${whole}`],
    ['without an end of the last line', whole.trimEnd()],
    ['empty', ''],
    ['without a test', '# Notes\n\nNothing'],
    ['a fence that never ends', '## A\n\n```\n## B\n'],
    ['a foreign comment', '<!-- hello\n## no\n-->\n## A\n'],
    ['steps that are none', '## A\n\n### Steps\n\nJust try.\n\n1. one\n'],
    ['tabs and trailing spaces', '## A  \n\tx \n\n\n\n## B\t\n'],
  ])('%s, is written back byte for byte', (_title, text) => {
    expect(writtenDocument(readDocument(text))).toBe(text);
  });

  test.each([
    ['<!-- test\nid: @T1\n-->\ntext\n', 1, 'no heading'],
    ['# x\n\n<!-- test\nid: 12\n-->\n## A\n', 3, 'no id like @T12'],
    ['<!-- test\nid: @T1\nid: @T2\n-->\n## A\n', 1, 'twice'],
    ['<!-- test\npriority: a, b\n-->\n## A\n', 1, 'several values'],
    ['<!-- test\nlabels: "a\n-->\n## A\n', 1, 'no list of names'],
    ['<!-- test\nestimate: soon\n-->\n## A\n', 1, 'no time like'],
  ])('%p is wrong at line %p: %s', (text, line, message) => {
    const read = () => readDocument(text);
    expect(read).toThrow(CaseFileFault);
    try {
      read();
    } catch (error) {
      expect((error as CaseFileFault).line).toBe(line);
      expect((error as Error).message).toContain(message);
    }
  });
});

const [first] = readDocument(whole).blocks;
const rawOf = (parts: CaseBlock['parts']) => parts.map(({ raw }) => raw).join('');

describe('a change', () => {
  test.each<[string, Partial<TestContent>, string, string]>([
    ['of the priority', { priority: 'Low' }, 'priority: High', 'priority: Low'],
    ['that clears the priority', { priority: null }, 'priority: High\n', ''],
    ['of the labels', { labels: ['x'] }, 'labels: smoke, "a, b"', 'labels: x'],
    ['of the squad, which was not there', { squad: 'Web' }, 'estimate: 5m', 'estimate: 5m\nsquad: Web'],
    ['of the name', { testName: 'Pay' }, '## Pay by card', '## Pay'],
    ['of the preconditions', { preconditions: 'None\n# x' }, 'An account', 'None\n\\# x'],
  ])('%s changes nothing else', (_title, change, before, now) => {
    if (!first) throw new Error('no test');
    const content = { ...first.content, ...change };
    const fields = Object.keys(change) as Array<keyof TestContent>;
    const parts = changedBlock(first, content, fields, { eol: '\n' });
    expect(rawOf(parts)).toBe(rawOf(first.parts).replace(before, now));
  });
});

/** Texts that would be something else if they were written as they are. */
const hostile = [
  '## A',
  '### Steps',
  '### preconditions',
  '# top',
  '\\## A',
  '\\\\### Steps',
  '```',
  '~~~~',
  '   ```js',
  '\\```',
  '<!-- test',
  '<!-- hello',
  '-->',
  '<<<<<<< x',
  '<<<<<<< file',
  '  <<<<<<< file',
  '\\<<<<<<< file',
  '=======',
  '>>>>>>> server\t',
  '\\\\>>>>>>> server',
  '>>>>>>> y',
  'Data: x',
  'Expected:',
  '\\Data: x',
  '1. one',
  '   indented',
  '',
  '- a',
  'plain',
  '---',
  'ends with #',
  '\tTab',
  '"a, b"',
  // Lines that look empty, and spaces that some editors write.
  ' ',
  '\u00a0',
  '\u00a0text\u00a0',
  '\u2028',
  'two\u2028lines',
  'a\rb',
  '\f',
  '\ufeff',
  '1.\u00a0One',
  '##\u00a0Two',
];

const hostileNames = [
  'A',
  '## B',
  'C #',
  '<!-- D',
  '```',
  '"E"',
  'two\u2028parts',
  'a\rb',
  'line\r\n break',
  'line\nbreak',
  '\u00a0F',
  'G\u0085',
];

/** @see Finding: a name with a line break or U+2028 stopped status, push and pull of the whole folder, and a step with U+2028 was lost by a push. */
test('whatever a test says, it is read from the file as it was written (10,000 random tests)', () => {
  const random = randomFrom(20_261_124);
  const text = () =>
    Array.from({ length: random.below(5) }, () => random.pick(hostile))
      .join('\n')
      .trim();
  const name = () => random.pick(['High', 'a, b', '"q"', 'x --> y', 'ä:ö', '#1', '-- -']);
  const action = () => text() || 'Do it';
  for (let n = 0; n < 10_000; n++) {
    const content = comparedContent({
      ...empty,
      section: [],
      testName: random.pick(hostileNames),
      testDescription: text(),
      preconditions: text(),
      steps: Array.from({ length: random.below(4) }, () => ({
        action: action(),
        ...(random.below(2) === 0 && { data: text() }),
        ...(random.below(2) === 0 && { expected: text() }),
      })),
      priority: random.below(2) === 0 ? name() : null,
      squad: random.below(2) === 0 ? name() : null,
      labels: Array.from({ length: random.below(3) }, name),
      estimateSeconds: random.below(2) === 0 ? 1 + random.below(100_000) : null,
    });
    const eol = random.pick(['\n', '\r\n'] as const);
    const file = [newBlock(7, content, eol), newBlock(8, { ...empty, testName: 'Next' }, eol)]
      .map(rawOf)
      .join('');
    const { blocks } = readDocument(file);
    const { section: _, ...expected } = content;
    expect({ file, ids: blocks.map(({ testId }) => testId), content: blocks[0]?.content }).toEqual({
      file,
      ids: [7, 8],
      content: expected,
    });
    expect(blocks[0]?.isUnresolved).toBe(false);
  }
});

/** @see Finding: a test about merges, with such lines in its text, was a conflict that nobody could resolve, and stopped every push. */
test('lines of a text that look like marks of a conflict are none, also where there is one', () => {
  const marks = ['<<<<<<< file', '=======', '>>>>>>> server'];
  const fenced = ['```', ...marks, '```', ...marks, 'end'].join('\n');
  const server = { ...empty, section: ['S'], testName: 'Merge', testDescription: fenced };
  const steps = [{ action: `${marks.join('\n')}\nlook`, expected: `It says\n${fenced}` }];
  const pull = (
    files: ReadonlyMap<string, string>,
    base: CaseBase,
    version: number,
    content: TestContent,
  ) => {
    const plan = planPull({
      tree: readTree(files),
      base,
      server: [{ testId: 1, version, content }],
      baseOf: () => ({ ...server, steps }),
    });
    return { files: new Map([...files, ...plan.files]) as Map<string, string>, base: plan.base };
  };
  const none: CaseBase = { server: null, project: 1, tests: new Map() };
  const first = pull(new Map(), none, 1, { ...server, steps });
  const [one] = readTree(first.files).cases;
  expect(one?.content).toEqual(comparedContent({ ...server, steps }));
  expect(one?.block.isUnresolved).toBe(false);
  expect(planPush(readTree(first.files), first.base, () => undefined)).toMatchObject({
    tests: [],
    faults: [],
  });

  const edited = new Map([...first.files].map(([path, text]) => [path, text.replace('\nend', '\nend here')]));
  const both = pull(edited, first.base, 2, {
    ...server,
    steps,
    testDescription: fenced.replace('end', 'the end'),
  });
  const [conflict] = readTree(both.files).cases;
  expect(conflict?.block.isUnresolved).toBe(true);
  const [[path, text] = ['', '']] = [...both.files];
  const resolved = text.split('\n').filter((line) => !marks.includes(line) || line === '=======');
  // Of the three middle lines, the last is the one between both sides.
  resolved.splice(resolved.lastIndexOf('======='), 1);
  const [settled] = readTree(new Map([[path, resolved.join('\n')]])).cases;
  expect(settled?.block.isUnresolved).toBe(false);
  expect(settled?.content.testDescription).toBe(fenced.replace('end', 'end here\nthe end'));
});

/** @see Finding: a new test below one whose text ended with "-->" took that one as its comment, and got its id. */
test('a text that ends like a comment is not the comment of the next test', () => {
  const first = rawOf(newBlock(7, { ...empty, testName: 'First', steps: [{ action: 'look\n-->' }] }, '\n'));
  const { blocks } = readDocument(`${first}## Second\n\nText\n`);
  expect(blocks.map(({ testId, testName }) => [testId, testName])).toEqual([
    [7, 'First'],
    [null, 'Second'],
  ]);
  expect(blocks[0]?.content.steps).toEqual([{ action: 'look\n-->' }]);
});
