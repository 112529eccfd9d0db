import { expect, test } from 'bun:test';
import { testmgmtErrors } from '../base/errors.ts';
import { loadModule } from '../../../core/kernel/module-loading.ts';
import { testmgmt } from '../manifest.ts';
import { validCalls } from './valid-calls.ts';

const module = await loadModule(testmgmt);
/** The tools of Area C as in the interface specification: required parameters, then optional ones. Our additions are optional. */
const testFields =
  'testDescription sectionId priorityId typeId automationStatusId platformId testCoveredById squadId estimateSeconds labels';
const specified: ReadonlyArray<readonly [string, string, string?]> = [
  ['get-orgs-list', ''],
  ['get-org-details', 'orgId'],
  ['get-projects', 'orgId'],
  ['get-project-detail', 'projectId'],
  ['create-project', 'orgId projectName', 'projectDescription'],
  ['edit-project', 'projectId', 'projectName projectDescription'],
  ['update-project-status', 'projectId isActive'],
  ['get-tests', 'projectId', 'sectionId priorityId limit offset'],
  ['get-test-details', 'testId projectId'],
  ['get-tests-count', 'projectId', 'sectionId priorityId automationStatusId'],
  ['get-test-status-history', 'testId projectId'],
  ['get-test-status-history-in-run', 'testId runId'],
  ['download-tests', 'projectId', 'format'],
  ['create-test', 'projectId testName', testFields],
  ['update-test', 'testId', `testName ${testFields}`],
  ['delete-test', 'testId projectId'],
  ['bulk-add-tests', 'projectId tests'],
  ['bulk-update-tests', 'tests'],
  ['bulk-delete-tests', 'projectId testIds'],
  ['get-runs', 'projectId', 'limit offset'],
  ['run-detail', 'runId projectId'],
  ['get-run-tests-list', 'runId projectId'],
  ['get-run-test-status', 'runId projectId', 'status'],
  ['get-run-state-detail', 'runId projectId'],
  ['download-report', 'runId projectId', 'format'],
  ['create-run', 'projectId runName testIds', 'runDescription milestoneId dueOn'],
  ['edit-run', 'runId projectId', 'runName runDescription milestoneId dueOn'],
  ['delete-run', 'runId projectId'],
  ['run-update-test-status', 'runId projectId testResults'],
  ['run-lock', 'runId projectId'],
  ['run-reset', 'runId projectId'],
  ['run-remove-tests', 'runId projectId testIds'],
  ['get-labels', 'projectId'],
  ['get-sections', 'projectId'],
  ['get-squads', 'projectId'],
  ['get-priority', 'projectId'],
  ['get-platforms', 'projectId'],
  ['get-automation-status', 'projectId'],
  ['get-type', 'projectId'],
  ['get-test-covered-by', 'projectId'],
  ['add-labels', 'projectId labels'],
  ['add-squads', 'projectId squads'],
  ['add-section', 'projectId sectionName', 'parentSectionId'],
  ['edit-section', 'sectionId sectionName'],
  ['get-user-details', 'userId'],
  ['get-all-users', '', 'orgId limit offset'],
];

const operations = new Map((module.operations ?? []).map((one) => [one.name, one]));
const split = (names: string) => names.split(' ').filter(Boolean);

test.each(specified)('%s takes exactly what the specification says', (name, required, optional = '') => {
  const input = operations.get(name)?.input;
  expect(new Set(input?.required ?? [])).toEqual(new Set(split(required)));
  const added = Object.keys(input?.properties ?? {}).filter(
    (property) => !split(`${required} ${optional}`).includes(property),
  );
  for (const property of split(optional)) expect(input?.properties).toHaveProperty(property);
  const additions = new Set([
    'addLabels',
    'fields',
    'linkTemplates',
    'review',
    'return',
    'create',
    'dryRun',
    'section',
    'removeLabels',
    'seenAt',
    'limit',
    'offset',
    'preconditions',
    'query',
    'steps',
    'version',
    'asOf',
  ]);
  expect(added.filter((property) => !additions.has(property))).toEqual([]);
});

test('items of the bulk tools take what create-test and update-test take', () => {
  const itemOf = (tool: string, list: string) => {
    const items = operations.get(tool)?.input.properties[list]?.['items'] as {
      required?: string[];
      properties: object;
    };
    return { required: items.required, properties: Object.keys(items.properties).toSorted() };
  };
  const propertiesOf = (tool: string) => Object.keys(operations.get(tool)?.input.properties ?? {}).toSorted();
  expect(itemOf('bulk-add-tests', 'tests')).toEqual({
    required: ['testName'],
    properties: propertiesOf('create-test').filter((name) => name !== 'projectId' && name !== 'create'),
  });
  expect(itemOf('bulk-update-tests', 'tests')).toEqual({
    required: ['testId'],
    properties: propertiesOf('update-test').filter((name) => name !== 'create' && name !== 'seenAt'),
  });
  expect(itemOf('run-update-test-status', 'testResults')).toEqual({
    required: ['testId', 'status'],
    properties: ['comment', 'fields', 'seenAt', 'status', 'stepResults', 'testId'],
  });
});

test('the toolset testmgmt is the 46 tools of the specification, and every tool is driven by the tables', () => {
  const own = [...operations.values()].filter(({ toolset }) => toolset === 'testmgmt');
  expect(own).toHaveLength(46);
  expect(own.map(({ name }) => name).toSorted()).toEqual(specified.map(([name]) => name).toSorted());
  expect([...operations.keys()].toSorted()).toEqual(Object.keys(validCalls).toSorted());
});

test('every parameter is described, at every depth', () => {
  const undescribed: string[] = [];
  const visit = (schema: Record<string, unknown>, path: string) => {
    const inside = schema['type'] === 'array' ? (schema['items'] as Record<string, unknown>) : schema;
    for (const [name, property] of Object.entries((inside['properties'] ?? {}) as Record<string, object>)) {
      if (!('description' in property)) undescribed.push(`${path}.${name}`);
      visit(property as Record<string, unknown>, `${path}.${name}`);
    }
  };
  for (const { name, input } of operations.values()) visit(input, name);
  expect(undescribed).toEqual([]);
});

test.each(Object.entries(testmgmtErrors))('the tip of %s names a tool that exists', (_code, { tip }) => {
  const named: string[] = tip.match(/[a-z]+(?:-[a-z]+)+/g) ?? [];
  expect(named.filter((word) => operations.has(word)).length).toBeGreaterThan(0);
  const tools = named.filter((word) =>
    /^(?:get|create|run|bulk|add|update|delete|unlock|restore|download|import)-/.test(word),
  );
  expect(tools.filter((word) => !operations.has(word))).toEqual([]);
});
