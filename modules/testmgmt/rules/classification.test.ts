import { Glob } from 'bun';
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { everyClassification, forEachListing } from './classification.ts';

const root = join(import.meta.dir, '..');
/** Readers of files use the words of other products, e.g. `type` of an attachment or of a case. */
const elsewhere = ['testing/', 'result-files/', 'import-files/formats/'];
const sources = [...new Glob('**/*.ts').scanSync(root)].filter(
  (file) => !file.endsWith('.test.ts') && !elsewhere.some((folder) => file.startsWith(folder)),
);

/**
 * Records, parameters, CSV columns, listing tools and checks are derived from the declaration. Priority and automation status occur in
 * other files as well: the interface specification filters and counts by them.
 */
test.each(['type', 'platform', 'testCoveredBy'])(
  'the classification %s stands in two files: a new one touches no other',
  (kind) => {
    const name = new RegExp(`\\b${kind}Id\\b|'${kind}'|^ {2}${kind}: \\{`, 'm');
    const found = sources.filter((file) => name.test(readFileSync(join(root, file), 'utf8')));
    expect(found.toSorted()).toEqual(['base/schema.ts', 'rules/classification.ts']);
  },
);

test('every classification has a listing tool, each once', () => {
  expect(forEachListing((kind) => kind).toSorted()).toEqual(everyClassification.toSorted());
});
