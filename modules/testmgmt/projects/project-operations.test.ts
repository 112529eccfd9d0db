import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Actor } from '../../../core/base/actor.ts';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';

let trivet: TestmgmtKernel;
beforeAll(async () => void (trivet = await startTestmgmtKernel()));
afterAll(() => trivet.stop());

test('a new project has its record and is in the list without its description', async () => {
  const { call } = trivet;
  const record = await call('create-project', {
    orgId: 1,
    projectName: '  Shop  ',
    projectDescription: ' Checkout ',
  });
  const projectId = Number(record['projectId']);
  expect(record).toEqual({
    projectId,
    orgId: 1,
    projectName: 'Shop',
    projectDescription: 'Checkout',
    isActive: true,
    linkTemplates: [],
    review: 'off',
    testsCount: 0,
    runsCount: 0,
    createdBy: trivet.owner.userId,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedBy: trivet.owner.userId,
    updatedAt: '2026-01-01T00:00:00.000Z',
  });
  await trivet.makeRun(projectId, await trivet.makeTests(projectId, 2));
  const list = (await call('get-projects', { orgId: 1 }))['projects'] as Array<Record<string, unknown>>;
  const { projectDescription: _, linkTemplates: _templates, review: _review, ...slim } = record;
  expect(list.find((one) => one['projectId'] === projectId)).toEqual({
    ...slim,
    testsCount: 2,
    runsCount: 1,
  });

  trivet.clock.advance(1000);
  const edited = await call('edit-project', { projectId, projectDescription: '' });
  expect(edited).toMatchObject({
    projectName: 'Shop',
    projectDescription: '',
    updatedAt: '2026-01-01T00:00:01.000Z',
  });
  expect(await call('edit-project', { projectId, projectName: ' Store ' })).toMatchObject({
    projectName: 'Store',
  });
  trivet.clock.advance(1000);
  // Setting the current status changes nothing.
  expect(await call('update-project-status', { projectId, isActive: true })).toMatchObject({
    updatedAt: '2026-01-01T00:00:01.000Z',
  });
  expect(await call('update-project-status', { projectId, isActive: false })).toMatchObject({
    isActive: false,
    updatedAt: '2026-01-01T00:00:02.000Z',
  });
});

test('projects come a page at a time, oldest first', async () => {
  for (let n = 0; n < 3; n++) await trivet.makeProject();
  const { total, projects } = await trivet.call('get-projects', { orgId: 1 });
  const all = (projects as Array<{ projectId: number }>).map(({ projectId }) => projectId);
  expect(all).toEqual(all.toSorted((a, b) => a - b));
  expect(await trivet.call('get-projects', { orgId: 1, limit: 1, offset: 1 })).toMatchObject({
    total,
    limit: 1,
    offset: 1,
    projects: [{ projectId: all[1] }],
  });
});

test('the organizations of a caller, and nobody else’s', async () => {
  const mine = { orgId: 1, orgName: 'My organization', createdAt: '2026-01-01T00:00:00.000Z' };
  expect(await trivet.call('get-orgs-list')).toEqual({
    total: 1,
    limit: 500,
    offset: 0,
    organizations: [mine],
  });
  expect(await trivet.call('get-org-details', { orgId: 1 })).toEqual(mine);
  const nobody: Actor = { ...trivet.owner, roles: new Map() };
  expect(await trivet.call('get-orgs-list', {}, nobody)).toMatchObject({ total: 0, organizations: [] });
  expect(await trivet.call('get-orgs-list', { offset: 1 })).toMatchObject({ total: 1, organizations: [] });
});
