import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { closedObject, words } from '../../../core/base/schema.ts';
import { inTurns } from '../../../core/base/turns.ts';
import { insertTests } from '../cases/case-write-store.ts';
import { fail } from '../base/errors.ts';
import { firstProblems } from '../base/id-list.ts';
import { extraOperation } from '../base/operation.ts';
import { projectId } from '../base/parameters.ts';
import { ownFieldsOf } from '../fields/field-store.ts';
import { requireFieldValues } from '../fields/field-value-store.ts';
import type { FieldDefinition } from '../rules/field-value.ts';
import { insertLinks } from '../links/link-store.ts';
import { projectFor, projectToChange } from '../projects/project-store.ts';
import { changesOf, testRecords } from '../base/written-changes.ts';
import { readTests, UnreadableFile, type ReadFile } from '../import-files/import-file.ts';
import { creationsOf, creationsRecord, inWords } from './import-preview.ts';
import { importedLinks } from './import-links.ts';
import { missingOf, resolvedTests } from './import-resolution.ts';
import { addMissing, loadNameIndex } from './import-store.ts';

const count = (description: string) => Type.Integer({ description });

export const importTests = extraOperation({
  name: 'import-tests',
  title: 'Import tests',
  description:
    'Adds the tests of a file to a project: CSV or JSON of download-tests, or the CSV of Checkmate or TestRail. ' +
    'Missing sections, labels, squads and classification values are created and listed in the result; with `strict` they are ' +
    'refused instead. All or nothing; at most 100,000 tests and 16 MiB. With `dryRun` nothing is written: the answer names ' +
    'what would be added and the faults of the rows.',
  input: closedObject({
    projectId,
    content: Type.String({
      minLength: 1,
      maxLength: 16 * 1024 * 1024,
      description: 'The text of the file.',
    }),
    format: Type.Optional(words(['csv', 'json'], { default: 'csv', description: 'The format of the file.' })),
    dryRun: Type.Optional(Type.Boolean({ default: false, description: 'Check only; write nothing.' })),
    strict: Type.Optional(
      Type.Boolean({ default: false, description: 'Refuse names that do not exist in the project.' }),
    ),
  }),
  output: closedObject({
    dryRun: Type.Boolean(),
    testsCount: count('Tests that were, or would be, added.'),
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
  }),
  access: member('write'),
  effect: 'create',
  handler: async (input, { actor, surface, db, clock, signal, progress, wrote }) => {
    const { projectId: id, content, format = 'csv', dryRun = false, strict = false } = input;
    await projectFor(db.q, actor, id, 'write');
    const known = await ownFieldsOf(db.q, id, 'test');
    const { tests, faults, faultsCount, ignored } = await fileOf({ content, format, known }, signal);
    if (!dryRun && faultsCount > 0) {
      const rows = faults.map(({ row, message }) => `row ${row}: ${message}`);
      throw fail.IMPORT_FAULTY(`${firstProblems(rows, faultsCount)}. Nothing was imported.`, {
        cause: 'content',
      });
    }
    const answer = {
      dryRun,
      testsCount: tests.length,
      faultsCount,
      faults: faults.map((fault) => ({ ...fault })),
      ignoredColumns: [...ignored],
    };
    const read = async (q: typeof db.q) => {
      const index = await loadNameIndex(q, id, signal);
      const missing = await inTurns(missingOf(index, tests), signal);
      const creates = await inTurns(creationsOf(index, missing), signal);
      const added = {
        sections: missing.sections.length,
        labels: missing.labels.length,
        squads: missing.squads.length,
        options: missing.values.length,
      };
      return { index, missing, answer: { ...answer, added, creates } };
    };
    if (dryRun) return (await read(db.q)).answer;
    return db.tx(async (q) => {
      await projectToChange(q, actor, id, { testsFrom: surface });
      // Nearly all values were checked while the file was read; people may have left.
      if ([...known.values()].some(({ kind }) => kind === 'user'))
        await requireFieldValues(q, tests, { projectId: id, known, pathOf: (nth) => `tests[${nth}].` });
      const now = clock.now();
      const { index, missing, answer: written } = await read(q);
      const wanted = Object.values(written.added).reduce((sum, some) => sum + some, 0);
      if (strict && wanted > 0) {
        throw fail.IMPORT_CREATES(
          `Project ${id} does not have: ${firstProblems(inWords(written.creates), wanted)}. Nothing was imported.`,
          { cause: 'strict' },
        );
      }
      const by = actor.userId;
      const items = resolvedTests(await addMissing(q, id, { index, missing, by, now, signal }), tests);
      const ids = await insertTests(q, {
        projectId: id,
        items,
        by,
        now,
        signal,
        progress: (stored) => progress(stored, tests.length),
      });
      const linked = await inTurns(importedLinks(tests, ids), signal);
      await insertLinks(q, linked, { projectId: id, by, now, signal });
      wrote({ projectId: id, records: testRecords(ids), changes: changesOf(ids.length) });
      return written;
    });
  },
});

interface GivenFile {
  readonly content: string;
  readonly format: 'csv' | 'json';
  /** The project's own fields, by key. */
  readonly known: ReadonlyMap<string, FieldDefinition>;
}

/** @throws Fault IMPORT_UNREADABLE. */
async function fileOf({ content, format, known }: GivenFile, signal: AbortSignal): Promise<ReadFile> {
  try {
    return await inTurns(readTests(content, format, known), signal);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    throw fail.IMPORT_UNREADABLE(`${error.message} Nothing was imported.`, { cause: 'content' });
  }
}
