import { describe, expect, test } from 'bun:test';
import { unknownTool } from './operation.ts';

const known = [
  'get-orgs-list',
  'get-projects',
  'get-project-detail',
  'create-project',
  'edit-project',
  'update-project-status',
  'get-tests',
  'get-test-details',
  'get-tests-count',
  'get-test-status-history',
  'create-test',
  'update-test',
  'delete-test',
  'bulk-add-tests',
  'bulk-delete-tests',
  'get-runs',
  'run-detail',
  'create-run',
  'delete-run',
  'run-update-test-status',
  'run-lock',
  'unlock-run',
  'run-reset',
  'get-labels',
  'get-priority',
  'get-platforms',
  'get-automation-status',
  'get-all-users',
].map((name) => ({ name }));

describe('a tool that does not exist', () => {
  test.each([
    ['lock-run', 'Did you mean "run-lock"?'],
    ['run-unlock', 'Did you mean "unlock-run"?'],
    ['update-run-test-status', 'Did you mean "run-update-test-status"?'],
    ['reset_run', 'Did you mean "run-reset"?'],
    ['getTests', 'Did you mean "get-tests"?'],
    ['get-test', 'Did you mean "get-tests"?'],
    ['get-project', 'Did you mean "get-projects"?'],
    ['get-priorities', 'Did you mean "get-priority"?'],
    ['get-automation-statuses', 'Did you mean "get-automation-status"?'],
    ['creat-run', 'Did you mean "create-run"?'],
    ['get-users', 'Did you mean "get-all-users"?'],
    ['bulk-create-tests', 'Did you mean "create-test"?'],
    [
      'delete-project',
      'Tools about project: get-projects, create-project, edit-project, get-project-detail, update-project-status.',
    ],
    ['archive-run', 'Tools about run: '],
    ['list-labels', 'Did you mean "get-labels"?'],
    ['search-tests', 'Did you mean "get-tests"?'],
    ['list-run', 'Did you mean "get-runs"?'],
  ])('%s', (name, hint) => expect(unknownTool(name, known).message).toContain(hint));

  test.each([['zzz'], [''], ['x'.repeat(10_000)], ['-'.repeat(64)], ['a-'.repeat(64)]])(
    '%s has no hint',
    (name) => {
      expect(unknownTool(name, known).message).toEndWith(' here.');
    },
  );

  test('names no other verb as what was meant', () => {
    for (const name of ['delete-project', 'delete-label', 'remove-project', 'drop-run']) {
      expect(unknownTool(name, known).message).not.toContain('Did you mean');
    }
  });
});
