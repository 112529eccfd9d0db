import { Type } from '@sinclair/typebox';
import { member } from '../../../core/actor.ts';
import { closedObject, words } from '../../../core/schema.ts';
import { testRecord } from '../cases/case-record.ts';
import { operation } from '../operation.ts';
import { everyIdOfQuery } from '../cases/case-query-store.ts';
import { projectId, queryText } from '../parameters.ts';
import { projectFor } from '../projects/project-store.ts';
import { askIfGiven } from '../query/query-store.ts';
import { testsAsCsv, testsAsJson } from './export-file.ts';

export const downloadTests = operation({
  name: 'download-tests',
  title: 'Download all tests',
  description:
    'Returns every test of a project with all its fields, as JSON or as a CSV file. import-tests (toolset extra) reads both ' +
    'back. To look at some tests, get-tests is smaller.',
  input: closedObject({
    projectId,
    query: Type.Optional(queryText()),
    format: Type.Optional(
      words(['json', 'csv'], { default: 'json', description: 'The format of the file.' }),
    ),
  }),
  output: closedObject({ projectId: Type.Integer(), tests: Type.Array(testRecord) }),
  files: ['text/csv'],
  access: member('read'),
  effect: 'read',
  handler: async ({ projectId: id, format, query }, { actor, db: { q }, clock, progress, signal }) => {
    const asked = askIfGiven(query, actor, { scope: 'tests', projectId: id, now: clock.now() });
    const { testsCount } = await projectFor(q, actor, id, 'read');
    await asked?.requireNames(q);
    const ids = asked && (await everyIdOfQuery(q, { projectId: id, filter: {}, asked }, signal));
    const wanted = { projectId: id, ids, total: ids?.length ?? testsCount, progress, signal };
    return format === 'csv' ? testsAsCsv(q, wanted) : testsAsJson(q, wanted);
  },
});
