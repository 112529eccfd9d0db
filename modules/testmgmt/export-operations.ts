import { Type } from '@sinclair/typebox';
import { member } from '../../core/actor.ts';
import { operation } from '../../core/operation.ts';
import { words } from '../../core/schema.ts';
import { firstFaults, refuse } from './errors.ts';
import { projectId } from './parameters.ts';
import { projectFor } from './projects.ts';
import { testRecord } from './records.ts';
import { testsAsCsv, testsAsJson } from './test-export.ts';
import { readTests } from './test-import.ts';
import { addMissing, missingOf, placed, placesOf, type Missing } from './test-placing.ts';
import { insertTests } from './test-writing.ts';

const closed = { additionalProperties: false } as const;

export const downloadTests = operation({
  name: 'download-tests',
  toolset: 'testmgmt',
  title: 'Download all tests',
  description:
    'Answers every test of a project with all its fields, as JSON or as a CSV file; import-tests reads both back. To look at ' +
    'some tests, get-tests is smaller.',
  input: Type.Object(
    {
      projectId,
      format: Type.Optional(
        words(['json', 'csv'], { default: 'json', description: 'What to make of them.' }),
      ),
    },
    closed,
  ),
  output: Type.Object({ projectId: Type.Integer(), tests: Type.Array(testRecord) }, closed),
  files: ['text/csv'],
  access: member('read'),
  effect: 'read',
  handler: async ({ projectId: id, format }, { actor, db: { q }, progress, signal }) => {
    const { testsCount } = await projectFor(q, actor, id, 'read');
    const asked = { projectId: id, total: testsCount, progress, signal };
    return format === 'csv' ? testsAsCsv(q, asked) : testsAsJson(q, asked);
  },
});

/** How many faulty rows a preview names. */
const shownRows = 100;

const count = (description: string) => Type.Integer({ description });

export const importTests = operation({
  name: 'import-tests',
  toolset: 'extra',
  title: 'Import tests',
  description:
    'Adds the tests of a file to a project: CSV or JSON as download-tests makes it, or the CSV of Checkmate or TestRail. ' +
    'Sections, labels, squads and options that are missing are added too. All or nothing; at most 100,000 tests and 16 MiB. ' +
    'With dryRun nothing is written and the faults of the rows are answered.',
  input: Type.Object(
    {
      projectId,
      content: Type.String({
        minLength: 1,
        maxLength: 16 * 1024 * 1024,
        description: 'The text of the file.',
      }),
      format: Type.Optional(words(['csv', 'json'], { default: 'csv', description: 'What the file is.' })),
      dryRun: Type.Optional(Type.Boolean({ default: false, description: 'Only look.' })),
    },
    closed,
  ),
  output: Type.Object(
    {
      dryRun: Type.Boolean(),
      testsCount: count('Tests that were, or would be, added.'),
      added: Type.Object(
        {
          sections: count('Sections.'),
          labels: count('Labels.'),
          squads: count('Squads.'),
          options: count('Priorities, types and so on.'),
        },
        closed,
      ),
      faultsCount: count('Rows that cannot be imported.'),
      faults: Type.Array(Type.Object({ row: Type.Integer(), message: Type.String() }, closed), {
        description: 'The first 100 of them.',
      }),
      ignoredColumns: Type.Array(Type.String()),
    },
    closed,
  ),
  access: member('write'),
  effect: 'create',
  handler: async ({ projectId: id, content, format = 'csv', dryRun = false }, { actor, db, clock }) => {
    await projectFor(db.q, actor, id, 'write');
    const file = readTests(content, format);
    if ('unreadable' in file) {
      throw refuse.IMPORT_UNREADABLE(`${file.unreadable} Nothing was imported.`, { cause: 'content' });
    }
    const { tests, faults, ignored } = file;
    const answer = {
      dryRun,
      testsCount: tests.length,
      faultsCount: faults.length,
      faults: faults.slice(0, shownRows).map((fault) => ({ ...fault })),
      ignoredColumns: [...ignored],
    };
    if (!dryRun && faults.length > 0) {
      const rows = faults.map(({ row, message }) => `row ${row}: ${message}`);
      throw refuse.IMPORT_FAULTY(`${firstFaults(rows)}. Nothing was imported.`, { cause: 'content' });
    }
    const additions = (missing: Missing) => ({
      sections: missing.sections.length,
      labels: missing.labels.length,
      squads: missing.squads.length,
      options: missing.options.length,
    });
    if (dryRun) return { ...answer, added: additions(missingOf(await placesOf(db.q, id), tests)) };
    return db.tx(async (q) => {
      await projectFor(q, actor, id, 'write');
      const now = clock.now();
      const places = await placesOf(q, id);
      const missing = missingOf(places, tests);
      const items = placed(await addMissing(q, id, { places, missing, now }), tests);
      await insertTests(q, { projectId: id, items, by: actor.userId, now });
      return { ...answer, added: additions(missing) };
    });
  },
});
