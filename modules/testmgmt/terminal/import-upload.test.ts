import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ToolCommandCall } from '../../../core/module/command.ts';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';
import { importFile } from './import-upload.ts';
import { settled } from '../../../test/rejection.ts';

let trivet: TestmgmtKernel;
const folder = mkdtempSync(join(tmpdir(), 'trivet-import-'));
beforeAll(async () => void (trivet = await startTestmgmtKernel()));
afterAll(async () => {
  await trivet.stop();
  rmSync(folder, { recursive: true });
});

const file = (name: string, content: string | Buffer) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

async function run(words: readonly string[], settings: object) {
  const given = {
    words,
    config: { read: () => settings },
    call: (tool: string, input: object) => trivet.call(tool, input),
    async *input() {
      yield new TextEncoder().encode('ID,Title,Section Hierarchy\nC9,From stdin,A\n');
    },
  };
  return importFile(given as unknown as ToolCommandCall);
}

test('the format is found, the report names what was not understood, and faults end with 1', async () => {
  const project = String(await trivet.makeProject());
  const path = file('a.csv', 'ID,Title,Section Hierarchy,Mood\nC1,Sign in,A > B,good\n');
  const preview = await run([path], { project, preview: true });
  expect(preview).toMatchObject({
    failed: false,
    data: { format: 'testrail-csv', createdCount: 1, dryRun: true },
    text: expect.stringContaining('Mood → not understood'),
    note: expect.stringContaining('create-field { key: "mood"'),
  });
  expect(await run([path], { project })).toMatchObject({ data: { createdCount: 1 } });
  expect(await run([path], { project })).toMatchObject({ data: { createdCount: 0, unchangedCount: 1 } });
  expect(await run(['-'], { project })).toMatchObject({ data: { createdCount: 1 } });
  const mapped = file('b.csv', 'Case name,Mood\nx,y\n');
  expect(await run([mapped], { project, mapping: 'Case name=testName,Mood=ignore' })).toMatchObject({
    data: { format: 'table', createdCount: 1, ignoredColumns: [] },
  });
  const faulty = file('c.csv', `ID,Title,Section Hierarchy\nC1,${'x'.repeat(300)},A\n`);
  expect(await run([faulty], { project, preview: true })).toMatchObject({
    failed: true,
    text: expect.stringContaining('row 2: testName'),
  });
});

test.each<[string, () => readonly string[], string]>([
  ['no file', () => [], 'Name one file'],
  ['a file that is not there', () => [join(folder, 'none.csv')], 'cannot be read'],
  ['Latin-1', () => [file('l.csv', Buffer.from('ID,Title\n1,für', 'latin1'))], 'not UTF-8'],
  ['nothing', () => [file('e.csv', '')], 'It is empty'],
])('%s is refused', async (_title, words, message) => {
  const project = String(await trivet.makeProject());
  expect(await settled(run(words(), { project }))).toThrow(message);
});
