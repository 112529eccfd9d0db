import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { loadModule } from '../../../core/kernel/module-loading.ts';
import { testmgmt } from '../manifest.ts';
import { startTestmgmtKernel, type TestmgmtKernel } from './testmgmt-kernel.ts';
import { makeWorld, validCalls, type World } from './valid-calls.ts';

const module = await loadModule(testmgmt);
let trivet: TestmgmtKernel;
let world: World;
beforeAll(async () => {
  trivet = await startTestmgmtKernel();
  world = await makeWorld(trivet);
});
afterAll(() => trivet.stop());

const writes = (module.operations ?? []).flatMap(({ name, effect }) => {
  const valid = effect === 'read' ? undefined : validCalls[name];
  return valid ? [[name, valid] as const] : [];
});
const reads = (module.operations ?? []).flatMap(({ name, effect }) => {
  const valid = effect === 'read' ? validCalls[name] : undefined;
  return valid ? [[name, valid] as const] : [];
});

describe('an inactive project', () => {
  let inactive: World;
  beforeAll(async () => {
    inactive = await makeWorld(trivet);
    await trivet.call('update-project-status', { projectId: inactive.projectId, isActive: false });
  });
  // A link must end whatever the state of its project. What one saves for oneself changes nothing of it.
  const outside = new Set([
    'create-project',
    'update-project-status',
    'revoke-share-link',
    'follow-project',
    'save-view',
    'delete-view',
  ]);
  test.each(writes.filter(([name]) => !outside.has(name)))('refuses %s', async (name, valid) => {
    const before = await trivet.everything();
    const fault = await trivet.refusal(name, valid(inactive));
    expect(fault?.code).toBe('PROJECT_INACTIVE');
    expect(fault?.tip).toContain('update-project-status');
    expect(await trivet.everything()).toBe(before);
  });
  test.each(reads)('answers %s', async (name, valid) => {
    expect(await trivet.refusal(name, valid(inactive))).toBeNull();
  });
  test('is made active again', async () => {
    const answer = await trivet.call('update-project-status', {
      projectId: inactive.projectId,
      isActive: true,
    });
    expect(answer['isActive']).toBe(true);
    expect(await trivet.refusal('create-test', { projectId: inactive.projectId, testName: 'x' })).toBeNull();
  });
});

describe('a locked run', () => {
  const changes = ['edit-run', 'delete-run', 'run-update-test-status', 'run-reset', 'run-remove-tests'];
  test.each([...changes, 'add-tests-to-run'])('refuses %s', async (name) => {
    const before = await trivet.everything();
    const input = { ...validCalls[name]?.(world), runId: world.lockedRunId };
    const fault = await trivet.refusal(name, input);
    expect(fault).toMatchObject({ code: 'RUN_LOCKED', status: 423 });
    expect(fault?.tip).toContain('unlock-run');
    expect(await trivet.everything()).toBe(before);
  });
  const runReads = ['run-detail', 'get-run-tests-list', 'get-run-test-status', 'get-run-state-detail'];
  test.each(runReads)('answers %s', async (name) => {
    const input = { ...validCalls[name]?.(world), runId: world.lockedRunId };
    expect(await trivet.refusal(name, input)).toBeNull();
  });
  test('run-lock again answers it unchanged; unlocked by an administrator it takes changes', async () => {
    const { projectId, lockedRunId: runId, testId } = await makeWorld(trivet);
    const detail = await trivet.call('run-detail', { projectId, runId });
    trivet.clock.advance(1000);
    expect(await trivet.call('run-lock', { projectId, runId })).toEqual(detail);
    expect(await trivet.call('unlock-run', { projectId, runId })).toMatchObject({
      status: 'active',
      lockedBy: null,
      lockedAt: null,
    });
    const testResults = [{ testId, status: 'passed' }];
    expect(await trivet.refusal('run-update-test-status', { projectId, runId, testResults })).toBeNull();
  });
});
