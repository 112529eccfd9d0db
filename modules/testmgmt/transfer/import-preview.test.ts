import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';

let trivet: TestmgmtKernel;
let projectId: number;
beforeAll(async () => {
  trivet = await startTestmgmtKernel();
  projectId = await trivet.makeProject();
  await trivet.makeSection(projectId, 'Checkout');
  await trivet.call('add-labels', { projectId, labels: ['smoke'] });
  await trivet.call('add-squads', { projectId, squads: ['Core team'] });
});
afterAll(() => trivet.stop());

const file = [
  'Title,Section,Priority,Platform,Squad,Labels',
  'a,Chekout,Hihg,Web,Core taem,"smoke, smok"',
  'b,Checkout > Payment,High,Holodeck,Core team,smoke',
  '',
].join('\n');

const creates = {
  sections: [{ name: 'Chekout', nearest: 'Checkout' }, { name: 'Checkout > Payment' }],
  labels: [{ name: 'smok', nearest: 'smoke' }],
  squads: [{ name: 'Core taem', nearest: 'Core team' }],
  options: [
    { kind: 'priority', name: 'Hihg', nearest: 'High' },
    { kind: 'platform', name: 'Holodeck' },
  ],
};

describe('what an import would create is named, beside the name that was meant', () => {
  test('by the preview', async () => {
    const before = await trivet.everything();
    const preview = await trivet.call('import-tests', { projectId, content: file, dryRun: true });
    expect(preview).toMatchObject({
      testsCount: 2,
      added: { sections: 2, labels: 1, squads: 1, options: 2 },
      creates,
    });
    expect(await trivet.everything()).toBe(before);
  });

  test('by the refusal of strict, which writes nothing', async () => {
    const before = await trivet.everything();
    const fault = await trivet.refusal('import-tests', { projectId, content: file, strict: true });
    expect(fault).toMatchObject({ code: 'IMPORT_CREATES', causeWord: 'strict' });
    expect(fault?.message).toBe(
      `Project ${projectId} does not have: priority "Hihg" (did you mean "High"?); platform "Holodeck"; ` +
        'squad "Core taem" (did you mean "Core team"?); label "smok" (did you mean "smoke"?); ' +
        'section "Chekout" (did you mean "Checkout"?); section "Checkout > Payment". Nothing was imported.',
    );
    expect(fault?.tip).toMatch(/add-labels.*leave out strict/);
    expect(await trivet.everything()).toBe(before);
  });

  test('strict imports what names only what is there', async () => {
    const content = 'Title,Section,Priority,Squad,Labels\nc,CHECKOUT,high,core team,Smoke\n';
    const answer = await trivet.call('import-tests', { projectId, content, strict: true });
    expect(answer).toMatchObject({
      testsCount: 1,
      creates: { sections: [], labels: [], squads: [], options: [] },
    });
  });

  test('of many the first 50 are named and all are counted', async () => {
    const labels = Array.from({ length: 80 }, (_, n) => `new label ${n}`).join(',');
    const content = `Title,Labels\na,"${labels}"\n`;
    const preview = await trivet.call('import-tests', { projectId, content, dryRun: true });
    expect(preview).toMatchObject({ added: { labels: 80 } });
    expect((preview['creates'] as { labels: object[] }).labels.length).toBe(50);
    const fault = await trivet.refusal('import-tests', { projectId, content, strict: true });
    expect(fault?.message).toContain('; and 60 more.');
  });
});

test.each([
  ['sections', Array.from({ length: 10_001 }, (_, n) => `t,Section ${n}`).join('\n')],
  [
    'labels',
    Array.from(
      { length: 101 },
      (_, n) => `t,,"${Array.from({ length: 100 }, (_x, m) => `l${n}.${m}`).join()}"`,
    ).join('\n'),
  ],
])('a project has a limit of %s', async (what, rows) => {
  const before = await trivet.everything();
  const content = `Title,Section,Labels\n${rows}\n`;
  const fault = await trivet.refusal('import-tests', { projectId, content });
  expect(fault).toMatchObject({ code: 'PROJECT_FULL', causeWord: what });
  expect(await trivet.everything()).toBe(before);
});

test('a user who is no member is a fault of the row, in the dry run as in the import', async () => {
  const id = await trivet.makeProject();
  const field = { projectId: id, key: 'expert', name: 'Expert', kind: 'user' };
  await trivet.call('create-field', field);
  const me = trivet.owner.userId;
  const content = `testName,cf.expert\na,${me}\n\nb,${me + 900}\nc,x\nd,\n`;
  const faults = [
    { row: 4, message: 'fields.expert is no active member' },
    { row: 5, message: 'fields.expert must be the id of a user, from get-all-users' },
  ];
  for (const dry of ['dryRun', 'preview'])
    expect(await trivet.call('import-tests', { projectId: id, content, [dry]: true })).toMatchObject({
      testsCount: 2,
      createdCount: 2,
      faultsCount: 2,
      faults,
    });
  const fault = await trivet.refusal('import-tests', { projectId: id, content });
  expect(fault).toMatchObject({ code: 'IMPORT_FAULTY' });
  expect(fault?.message).toContain('row 4: fields.expert is no active member; row 5: ');
});
