import type { QueryScope } from './field-kinds/field-value.ts';
import type { QueryField } from './field-kinds/query-field.ts';
import { created, createdBy, updated, updatedBy } from './fields/change-field.ts';
import { asOf } from './fields/as-of-field.ts';
import { classified } from './fields/classification-field.ts';
import { failed, flaky, passed, runCount, since } from './fields/count-field.ts';
import { failing } from './fields/failure-field.ts';
import { filled, flagged } from './fields/filled-field.ts';
import { failedIn, inRun, notInRun, reporter, statusInRun } from './fields/in-run-field.ts';
import { label, squad } from './fields/label-field.ts';
import { duration, last, lastRun } from './fields/last-result-field.ts';
import { defect, requirement } from './fields/link-field.ts';
import { idField, name } from './fields/name-field.ts';
import { branch, commit, key } from './fields/pipeline-field.ts';
import { assigned, config, due, estimate, milestone, plan, toDo } from './fields/planning-field.ts';
import { progress, runContents, runStatus } from './fields/run-field.ts';
import { section } from './fields/section-field.ts';

/**
 * The fields of the query language, in the order of docs/query.md. Each is declared in fields/ with everything about it: its values, its
 * SQL, its completions and its documentation.
 */
export const queryFields: readonly QueryField[] = [
  idField,
  name,
  section,
  ...classified,
  squad,
  label,
  created,
  updated,
  createdBy,
  updatedBy,
  filled,
  last,
  lastRun,
  failed,
  passed,
  since,
  flaky,
  runCount,
  inRun,
  notInRun,
  failedIn,
  flagged,
  requirement,
  defect,
  failing,
  statusInRun,
  reporter,
  runStatus,
  key,
  duration,
  branch,
  commit,
  runContents,
  progress,
  assigned,
  toDo,
  estimate,
  milestone,
  plan,
  due,
  config,
  asOf,
];

export const fieldsIn = (scope: QueryScope): readonly QueryField[] =>
  queryFields.filter(({ scopes }) => scopes.includes(scope));
