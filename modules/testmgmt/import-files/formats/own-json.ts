import { everyClassification, idFieldOf } from '../../rules/classification.ts';
import { jsonItems } from '../text/json-items.ts';
import { importedTest } from '../text/imported-test.ts';
import type { DescribedTest } from '../text/described-test.ts';
import type { ImportFormat, Reading } from '../tables/import-format.ts';

/** Members of an exported test for which the importing project assigns new values. */
const assignedAnew = [
  'testId',
  'projectId',
  'createdBy',
  'createdAt',
  'updatedBy',
  'updatedAt',
  'deletedAt',
  'sectionId',
  ...everyClassification.map((kind) => idFieldOf[kind]),
  'squadId',
];
const knownMembers = new Set([...Object.keys(importedTest.properties), ...assignedAnew]);

function* read({ content, ignore }: Reading): Generator<DescribedTest | undefined, void> {
  let row = 0;
  for (const item of jsonItems(content, 'tests')) {
    if (!item) yield undefined;
    else yield { row: ++row, fields: fieldsOf(item.value, ignore) };
  }
}

function fieldsOf(test: unknown, ignore: (member: string) => void): unknown {
  if (typeof test !== 'object' || test === null || Array.isArray(test)) return test;
  const fields: Record<string, unknown> = {};
  for (const [member, value] of Object.entries(test)) {
    if (!knownMembers.has(member)) ignore(member);
    // An export has null for an unset field.
    else if (Object.hasOwn(importedTest.properties, member) && value !== null) fields[member] = value;
  }
  if (Array.isArray(fields['labels'])) fields['labels'] = fields['labels'].map(labelName);
  return fields;
}

/** An export has `{labelId, labelName}`; a hand-written file has the name. */
const labelName = (label: unknown): unknown =>
  typeof label === 'object' && label !== null && 'labelName' in label ? label.labelName : label;

/** The JSON of download-tests. */
export const ownJson: ImportFormat = {
  title: 'JSON of Trivet',
  source: null,
  isTable: false,
  recognizes: (head) => head.kind === 'json',
  read,
};
