import { expect, test } from 'bun:test';
import { randomFrom } from '../../../test/verify/scale.ts';
import type { CaseBase } from './case-base.ts';
import { readBase, writtenBase } from './case-base.ts';
import {
  changedFields,
  comparedContent,
  contentHash,
  type TestContent,
  type ContentField,
} from './case-content.ts';
import { planPull, type ServerCase } from './case-pull.ts';
import { planPush } from './case-push.ts';
import { changedBlock } from './case-rewrite.ts';
import { readTree } from './case-tree.ts';
import { writtenDocument } from './case-document.ts';

/*
 * A server in memory, and a folder of files: random changes of both, then a pull and a push. What only one side changed is on both sides
 * afterwards, text that no test has stays as it is, and doing it again changes nothing.
 */
const words = ['alpha', 'beta', '## gamma', '`delta`', '- epsilon', '', '### Steps', '> zeta'];

function randomContent(random: ReturnType<typeof randomFrom>, n: number): TestContent {
  const lines = () =>
    Array.from({ length: random.below(5) }, (_, at) => `${random.pick(words)} ${at}`).join('\n');
  return comparedContent({
    testName: `Test ${n}`,
    section: random.below(4) === 0 ? [] : ['Area', `Part ${random.below(2)}`],
    testDescription: lines(),
    preconditions: random.below(2) === 0 ? '' : lines(),
    steps: Array.from({ length: random.below(3) }, (_, at) => ({ action: `do ${at}`, expected: lines() })),
    priority: random.pick([null, 'High', 'Low']),
    type: null,
    automationStatus: null,
    platform: null,
    testCoveredBy: null,
    squad: random.pick([null, 'Web']),
    labels: random.below(2) === 0 ? [] : ['smoke'],
    estimateSeconds: random.pick([null, 60]),
  });
}

const editable: readonly ContentField[] = [
  'testName',
  'section',
  'testDescription',
  'preconditions',
  'steps',
  'priority',
  'squad',
  'estimateSeconds',
];

function pulled(
  files: ReadonlyMap<string, string>,
  base: CaseBase,
  server: readonly ServerCase[],
  known: Map<number, TestContent>,
) {
  const plan = planPull({ tree: readTree(files), base, server, baseOf: (id) => known.get(id) });
  const next = new Map(files);
  for (const [path, text] of plan.files) {
    if (text === null) next.delete(path);
    else next.set(path, text);
  }
  return { plan, files: next };
}

test('whatever changes on both sides, neither loses it (300 random folders)', () => {
  const random = randomFrom(11_24);
  let conflicts = 0;
  let merges = 0;
  for (let round = 0; round < 300; round++) {
    const server = new Map<number, ServerCase>();
    for (let id = 1; id <= 1 + random.below(6); id++)
      server.set(id, { testId: id, version: 1, content: randomContent(random, id) });
    const empty: CaseBase = { server: null, project: 1, tests: new Map() };
    const eol = random.pick(['\n', '\r\n'] as const);
    const preamble = `---${eol}ours: 1${eol}---${eol}# Title${eol}${eol}`;
    const started = new Map([['Area/Part 0.test.md', preamble]]);
    let { files, plan } = pulled(started, empty, [...server.values()], new Map());
    let base = readBase(writtenBase(plan.base));
    const known = new Map([...server].map(([id, { content }]) => [id, content]));

    // The server, and the files, change some fields of some tests.
    const changedThere = new Map<number, ReadonlySet<ContentField>>();
    for (const [id, one] of server) {
      if (random.below(2) === 0) continue;
      const other = randomContent(random, id + 100);
      const fields = editable.filter(() => random.below(4) === 0);
      const content = { ...one.content, ...Object.fromEntries(fields.map((field) => [field, other[field]])) };
      changedThere.set(id, new Set(changedFields(one.content, content)));
      server.set(id, { testId: id, version: 2, content });
    }
    const wanted = new Map<number, TestContent>();
    const changedHere = new Map<number, ReadonlySet<ContentField>>();
    for (const { documents } of [readTree(files)])
      for (const [path, document] of documents) {
        const blocks = document.blocks.map((block) => {
          const here = readTree(files).cases.find(({ testId }) => testId === block.testId);
          if (!here || random.below(2) === 0) return block;
          const other = randomContent(random, (block.testId ?? 0) + 200);
          const fields = editable.filter((field) => field !== 'section' && random.below(4) === 0);
          const content = {
            ...here.content,
            ...Object.fromEntries(fields.map((field) => [field, other[field]])),
          };
          changedHere.set(
            block.testId ?? 0,
            new Set(changedFields(comparedContent(here.content), comparedContent(content))),
          );
          wanted.set(block.testId ?? 0, content);
          return { ...block, parts: changedBlock(block, content, fields, { eol: document.eol }) };
        });
        files = new Map([...files, [path, writtenDocument({ preamble: document.preamble, blocks })]]);
      }

    ({ files, plan } = pulled(files, base, [...server.values()], known));
    base = plan.base;
    expect([...files.values()].filter((text) => text.startsWith(preamble))).toHaveLength(1);
    const tree = readTree(files);
    expect(tree.faults).toEqual([]);
    expect(tree.cases.map(({ testId }) => testId).toSorted()).toEqual([...server.keys()].toSorted());
    for (const { testId, content, block, hash } of tree.cases) {
      const there = server.get(testId ?? 0)?.content;
      if (!there) throw new Error('no such test');
      const [theirs, ours] = [
        changedThere.get(testId ?? 0) ?? new Set<ContentField>(),
        changedHere.get(testId ?? 0) ?? new Set<ContentField>(),
      ];
      if (block.isUnresolved) {
        conflicts++;
        expect([...theirs].some((field) => ours.has(field))).toBe(true);
        continue;
      }
      const here = wanted.get(testId ?? 0) ?? content;
      for (const field of editable) {
        if (theirs.has(field) && ours.has(field)) continue;
        const from = ours.has(field) ? here : there;
        expect({ round, testId, field, value: comparedContent(content)[field] }).toEqual({
          round,
          testId,
          field,
          value: comparedContent(from)[field],
        });
      }
      if (theirs.size > 0 && ours.size > 0) merges++;
      expect(base.tests.get(testId ?? 0)?.hash).toBe(contentHash(there));
      expect(hash === contentHash(there)).toBe(
        ours.size === 0 || changedFields(comparedContent(content), comparedContent(there)).length === 0,
      );
    }

    // A push of what is resolved, and then nothing more.
    const push = planPush(tree, base, (id) => server.get(id)?.content);
    for (const { pushed } of push.tests) {
      const one = server.get(pushed.testId ?? 0);
      if (!one) throw new Error('no such test');
      server.set(one.testId, {
        ...one,
        version: one.version + 1,
        content: { ...one.content, ...pushed.fields },
      });
    }
    for (const { testId, content, block } of tree.cases)
      if (!block.isUnresolved)
        expect(contentHash(server.get(testId ?? 0)?.content ?? content)).toBe(contentHash(content));
  }
  expect(conflicts).toBeGreaterThan(20);
  expect(merges).toBeGreaterThan(50);
});
