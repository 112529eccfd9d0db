import { Type, type Static } from '@sinclair/typebox';
import { closedObject } from '../../../../core/base/schema.ts';
import { estimateSeconds } from '../../cases/case-parameters.ts';
import { stepRecord } from '../../cases/case-steps.ts';
import { maxLinksOfRecord } from '../../links/link-store.ts';
import { fieldValues, longText, nameText } from '../../base/parameters.ts';
import { byName, classifications } from '../../rules/classification.ts';

const name = (description: string) => Type.Optional(nameText(description));

/** A test in a file. It refers to its section, classifications, squad and labels by name. */
export const importedTest = closedObject({
  testName: nameText('What the test checks.'),
  testDescription: Type.Optional(longText('What the test is about.')),
  preconditions: Type.Optional(longText('What must hold before the test.')),
  steps: Type.Optional(Type.Array(stepRecord, { maxItems: 500 })),
  sectionPath: Type.Optional(Type.Array(nameText('A section.'), { maxItems: 32 })),
  ...byName((kind) => name(`Its ${classifications[kind].singular}.`)),
  squad: name('Its squad.'),
  estimateSeconds: Type.Optional(estimateSeconds),
  fields: fieldValues,
  labels: Type.Optional(Type.Array(nameText('A label.'), { maxItems: 100 })),
  refs: Type.Optional(Type.Array(nameText('A requirement.'), { maxItems: maxLinksOfRecord })),
  defects: Type.Optional(Type.Array(nameText('A defect.'), { maxItems: maxLinksOfRecord })),
});
export type ImportedTest = Static<typeof importedTest>;
