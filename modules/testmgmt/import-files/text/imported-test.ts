import { Type, type Static } from '@sinclair/typebox';
import { closedObject } from '../../../../core/base/schema.ts';
import { estimateSeconds } from '../../cases/case-parameters.ts';
import { stepRecord } from '../../cases/case-steps.ts';
import { exportedKinds, otherLink } from '../../links/link-record.ts';
import { maxLinksOfRecord, sameKind, type NewLink } from '../../links/link-store.ts';
import { storedAddress } from '../../links/link-template.ts';
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
  otherLinks: Type.Optional(Type.Array(otherLink, { maxItems: maxLinksOfRecord })),
});
export type ImportedTest = Static<typeof importedTest>;

/**
 * The links of a test in a file, each once: an export has the key of a link with its own address in `refs` or `defects`, too.
 * @returns undefined if an address cannot be stored.
 */
export function givenLinks({
  refs = [],
  defects = [],
  otherLinks = [],
}: ImportedTest): NewLink[] | undefined {
  const found = new Map<string, NewLink>();
  const add = ({ kind, key: given, url }: NewLink) => {
    const key = given.trim();
    const name = sameKind(kind, key);
    if (!found.has(name)) found.set(name, { kind, key, url });
  };
  for (const { kind, key, url } of otherLinks) {
    const address = storedAddress(url);
    if (address === undefined) return undefined;
    add({ kind, key, url: address });
  }
  for (const key of refs) add({ kind: exportedKinds.refs, key, url: null });
  for (const key of defects) add({ kind: exportedKinds.defects, key, url: null });
  return [...found.values()];
}
