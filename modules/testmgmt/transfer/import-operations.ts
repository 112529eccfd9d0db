import { member } from '../../../core/base/actor.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { inTurns } from '../../../core/base/turns.ts';
import { fail } from '../base/errors.ts';
import { firstProblems } from '../base/id-list.ts';
import { extraOperation } from '../base/operation.ts';
import { ownFieldsOf } from '../fields/field-store.ts';
import type { OwnFields } from '../import-files/tables/import-format.ts';
import { projectFor, projectToChange, requireDirectWrite } from '../projects/project-store.ts';
import { changesOf, testRecords, unchanged } from '../base/written-changes.ts';
import { readTests, UnreadableFile, type ReadFile } from '../import-files/import-file.ts';
import { formatOfContent } from '../import-files/file-head.ts';
import { importFormats, type ImportFormatName } from '../import-files/import-formats.ts';
import { InvalidImport } from '../import-files/text/described-test.ts';
import { creationsOf, inWords } from './import-preview.ts';
import { answerOfFile, importInput, importOutput, type ImportInput } from './import-record.ts';
import { requirePresentPeople, withPeopleChecked } from './import-people-store.ts';
import { missingOf, withInvented } from './import-resolution.ts';
import { addMissing, loadNameIndex } from './import-store.ts';
import { planImport, writeImport } from './import-write-store.ts';

export const importTests = extraOperation({
  name: 'import-tests',
  title: 'Import tests',
  description:
    'Adds the tests of a file to a project: CSV or JSON of download-tests, exports of Checkmate, TestRail, Qase, Xray, Zephyr, Testmo and ' +
    'TestLink, or any table with a `mapping`. Importing the same tests again updates them by their ids there, and restores deleted ones. ' +
    'Missing sections, labels, squads and classification values are created and listed in the result; with `strict` they are ' +
    'refused instead. All or nothing; at most 100,000 tests and 16 MiB. With `preview` or `dryRun` nothing is written: the answer names ' +
    'what would be added and the faults of the rows. undo-activity takes an import back.',
  input: importInput,
  output: importOutput,
  access: member('write'),
  effect: 'create',
  // Tests that were imported before are changed.
  additive: false,
  handler: async (input, { actor, surface, db, clock, signal, progress, wrote }) => {
    const { projectId: id, preview = false, strict = false } = input;
    const dryRun = preview || input.dryRun === true;
    // Also a dry run: nobody maps the columns of a file that the project does not take.
    requireDirectWrite(await projectFor(db.q, actor, id, 'write'), surface);
    const known = await ownFieldsOf(db.q, id, 'test');
    const { format, file: read } = await fileOf(input, known, signal);
    const product = importFormats[format].source;
    const source = product === null ? null : (input.source ?? product);
    const file = await withPeopleChecked(db.q, read, { projectId: id, source, known, signal });
    if (!dryRun && file.faultsCount > 0) {
      const rows = file.faults.map(({ row, message }) => `row ${row}: ${message}`);
      throw fail.IMPORT_FAULTY(`${firstProblems(rows, file.faultsCount)}. Nothing was imported.`, {
        cause: 'content',
      });
    }
    const given = { projectId: id, source, file, known, signal };
    const answerOf = (plan: Awaited<ReturnType<typeof planImport>>, names: Names) => {
      const changed = new Set([...plan.restored, ...plan.changes.map(({ test }) => test.id)]);
      const found = plan.testIds.filter((testId) => testId !== undefined).length;
      return {
        dryRun,
        format,
        ...answerOfFile(file, input),
        createdCount: file.tests.length - found,
        updatedCount: changed.size - plan.restored.length,
        restoredCount: plan.restored.length,
        unchangedCount: found - changed.size,
        added: names.added,
        creates: names.creates,
      };
    };
    if (dryRun) {
      const names = await namesOf(db.q, id, file, signal);
      const plan = await planImport(db.q, withInvented(names.index, names.missing), given);
      return answerOf(plan, names);
    }
    return db.tx(async (q) => {
      await projectToChange(q, actor, id, { testsFrom: surface });
      const [by, now] = [actor.userId, clock.now()];
      const names = await namesOf(q, id, file, signal);
      const wanted = Object.values(names.added).reduce((sum, some) => sum + some, 0);
      if (strict && wanted > 0)
        throw fail.IMPORT_CREATES(
          `Project ${id} does not have: ${firstProblems(inWords(names.creates), wanted)}. Nothing was imported.`,
          { cause: 'strict' },
        );
      const { missing } = names;
      const index = await addMissing(q, id, { index: names.index, missing, by, now, signal });
      const plan = await planImport(q, index, given);
      await requirePresentPeople(q, plan, given);
      const written = await writeImport(
        q,
        { index, plan, given },
        { by, now, progress: (stored) => progress(stored, file.tests.length) },
      );
      const changes = written.length === 0 && wanted === 0 ? unchanged : changesOf(written.length);
      wrote({ projectId: id, records: testRecords(written), changes });
      return answerOf(plan, names);
    });
  },
});

type Names = Awaited<ReturnType<typeof namesOf>>;

/** The names of a file that the project lacks. */
async function namesOf(q: Query, projectId: number, { tests }: ReadFile, signal: AbortSignal) {
  const index = await loadNameIndex(q, projectId, signal);
  const missing = await inTurns(missingOf(index, tests), signal);
  const creates = await inTurns(creationsOf(index, missing), signal);
  const added = {
    sections: missing.sections.length,
    labels: missing.labels.length,
    squads: missing.squads.length,
    options: missing.values.length,
  };
  return { index, missing, creates, added };
}

/** @throws Fault IMPORT_UNREADABLE. */
async function fileOf(
  { content, format: given = 'csv', mapping, preview = false }: ImportInput,
  known: OwnFields,
  signal: AbortSignal,
): Promise<{ readonly format: ImportFormatName; readonly file: ReadFile }> {
  try {
    const format = given === 'auto' ? formatOfContent(content) : given;
    const reading = readTests({
      content,
      format,
      known,
      isPreview: preview,
      ...(mapping && { mapping }),
    });
    return { format, file: await inTurns(reading, signal) };
  } catch (error) {
    if (!(error instanceof UnreadableFile || error instanceof InvalidImport)) throw error;
    throw fail.IMPORT_UNREADABLE(`${error.message} Nothing was imported.`, { cause: 'content' });
  }
}
