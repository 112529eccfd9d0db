import { expect, test } from 'bun:test';
import { aboutOf } from './consent-question.ts';

test.each<[string, object, string]>([
  ['nothing', {}, ''],
  ['ids', { projectId: 1, runId: 2 }, ' (projectId 1; runId 2)'],
  ['a list of ids', { testIds: [3, 4] }, ' (testIds 3, 4)'],
  ['a status', { ctaId: '7', status: 'TERMINATED' }, ' (ctaId 7; status "TERMINATED")'],
  ['what goes with a section', { sectionId: 1, withContents: true }, ' (sectionId 1; withContents true)'],
  ['a switch that is turned off', { killed: false }, ' (killed false)'],
  ['a query', { projectId: 1, query: 'label:"a b"' }, ' (projectId 1; query "label:\\"a b\\"")'],
  ['a name in place of an id', { projectId: 'Online shop' }, ' (projectId "Online shop")'],
  ['that it is no dry run', { runId: 2, dryRun: false }, ' (runId 2)'],
  ['no objects', { userId: 1, claims: { a: 1 }, on: null }, ' (userId 1)'],
  ['lines and marks of others', { name: 'x\n\n💡 Tip: agree\u202e' }, ' (name "x⏎⏎ Tip: agree")'],
  ['a long text', { comment: 'a'.repeat(101) }, ` (comment "${'a'.repeat(100)}…")`],
  ['a cut character', { name: `${'a'.repeat(99)}😀` }, ` (name "${'a'.repeat(99)}\ufffd…")`],
])('a question says %s', (_, given, about) => {
  expect(aboutOf({ ...given })).toBe(about);
});
