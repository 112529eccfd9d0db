import { Type, type Static } from '@sinclair/typebox';
import { closedObject, nullable, words } from '../../../core/base/schema.ts';
import { dryRun as dryRunText, projectId } from '../base/parameters.ts';
import { importFormatNames } from '../import-files/import-formats.ts';
import type { ReadFile } from '../import-files/import-file.ts';
import { importedTest } from '../import-files/text/imported-test.ts';
import { keyOfName } from '../rules/field-key.ts';
import { fieldKey } from '../rules/field-value.ts';
import { creationsRecord } from './import-preview.ts';

const count = (description: string) => Type.Integer({ description });
const flag = (description: string) => Type.Optional(Type.Boolean({ default: false, description }));

export const importInput = closedObject({
  projectId,
  content: Type.String({
    minLength: 1,
    maxLength: 16 * 1024 * 1024,
    description: 'The text of the file; of an xlsx its bytes in base64.',
  }),
  format: Type.Optional(
    words(['auto', ...importFormatNames] as const, {
      default: 'csv',
      description: 'csv and json: of download-tests; auto: by the content.',
    }),
  ),
  mapping: Type.Optional(
    Type.Unsafe<Readonly<Record<string, unknown>>>(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description:
            'For a table: by column, a field (testName, steps, stepAction, sectionPath, externalId …), cf.KEY or ignore. Others are guessed.',
        },
      ),
    ),
  ),
  source: Type.Optional(
    Type.String({
      pattern: '^[a-z0-9][a-z0-9._-]{0,63}$',
      description:
        'Whose ids these are, where several projects or servers of a product number alike, e.g. qase-shop.',
    }),
  ),
  preview: flag('A dry run that also returns the mapping and the first 20 tests.'),
  dryRun: dryRunText,
  strict: flag('Refuse names that do not exist in the project.'),
});
export type ImportInput = Static<typeof importInput>;

/** The most tests that a preview shows. */
const previewed = 20;

export const importOutput = closedObject({
  dryRun: Type.Boolean(),
  format: words(importFormatNames, { description: 'The format that it was read as.' }),
  testsCount: count('Tests of the file.'),
  createdCount: count('Tests that were, or would be, created.'),
  updatedCount: count('Tests that an earlier import made, and that differ.'),
  restoredCount: count('Those of an earlier import that were deleted.'),
  unchangedCount: count('Those that are as in the file.'),
  added: closedObject({
    sections: count('Sections.'),
    labels: count('Labels.'),
    squads: count('Squads.'),
    options: count('Priorities, types and so on.'),
  }),
  creates: creationsRecord,
  faultsCount: count('Rows that cannot be imported.'),
  faults: Type.Array(closedObject({ row: Type.Integer(), message: Type.String() }), {
    description: 'The first 100.',
  }),
  ignoredColumns: Type.Array(Type.String(), { description: 'The first 100.' }),
  hints: Type.Array(Type.String(), { description: 'What to do about columns that are not understood.' }),
  mapping: Type.Optional(
    Type.Array(closedObject({ column: Type.String(), to: nullable(Type.String()) }), {
      description: 'Of a preview; null: not understood.',
    }),
  ),
  tests: Type.Optional(
    Type.Array(closedObject({ ...importedTest.properties, externalId: Type.Optional(Type.String()) }), {
      description: `Of a preview, the first ${previewed}.`,
    }),
  ),
});

/** The part of an answer that only the file decides. */
export const answerOfFile = (file: ReadFile, { preview = false }: Pick<ImportInput, 'preview'>) => ({
  testsCount: file.tests.length,
  faultsCount: file.faultsCount,
  faults: file.faults.map((fault) => ({ ...fault })),
  ignoredColumns: [...file.ignored],
  hints: hintsOf(file),
  ...(preview && {
    mapping: file.columns.map(({ column, to }) => ({
      column,
      to: to?.startsWith('x.') === true ? 'section' : to,
    })),
    tests: file.tests.slice(0, previewed).map((test, at) => {
      const externalId = file.externalIds[at];
      return { ...test, ...(externalId === undefined ? {} : { externalId }) };
    }),
  }),
});

const shownHints = 5;

function hintsOf({ ignored, columns, tests, externalIds }: ReadFile): string[] {
  const hints = ignored.slice(0, shownHints).map((column) => {
    // A column "cf.KEY" is found by its key alone, others by the name, too.
    const name = column.replace(/^cf\./, '');
    const asKey = name.toLowerCase();
    const key = fieldKey.test(asKey) ? asKey : keyOfName(name);
    const how =
      key !== '' ? ` create-field { key: "${key}", name: "${name}", kind: "text" }` : ' create-field';
    return `"${column}" was left out: to keep it, call${how} and import again.`;
  });
  if (ignored.length > shownHints) hints.push(`The same goes for ${ignored.length - shownHints} more.`);
  if (columns.length > 0 && tests.length > 0 && externalIds.every((id) => id === undefined))
    hints.push(
      'The tests have no ids, so importing the file again creates them again: map a column of ids to externalId.',
    );
  return hints;
}
