import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { closedObject, words } from '../../../core/base/schema.ts';
import { testRecord } from '../cases/case-record.ts';
import { operation } from '../base/operation.ts';
import { askOfTime, everyIdOfQuery } from '../cases/case-query-store.ts';
import { projectId, queryText } from '../base/parameters.ts';
import { projectFor } from '../projects/project-store.ts';
import { asOfText } from '../query/query-parameter.ts';
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
    asOf: asOfText,
    format: Type.Optional(
      words(['json', 'csv'], { default: 'json', description: 'The format of the file.' }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000, description: 'How many.' })),
    offset: Type.Optional(
      Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0, description: 'To skip.' }),
    ),
  }),
  output: closedObject({
    projectId: Type.Integer(),
    total: Type.Optional(Type.Integer({ description: 'With `limit`.' })),
    nextOffset: Type.Optional(Type.Integer({ description: 'The offset of what follows.' })),
    tests: Type.Array(testRecord),
  }),
  files: ['text/csv'],
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q }, clock, progress, signal }) => {
    const { projectId: id, format, limit, offset = 0 } = input;
    const isPart = limit !== undefined || offset > 0;
    // An empty query selects the ids of all tests.
    const query = input.query ?? (isPart ? '' : undefined);
    const asked = askOfTime({ ...input, query }, actor, clock.now());
    const { testsCount } = await projectFor(q, actor, id, 'read');
    await asked?.requireNames(q);
    const all = asked && (await everyIdOfQuery(q, { projectId: id, filter: {}, asked }, signal));
    const ids = isPart ? all?.slice(offset, limit === undefined ? undefined : offset + limit) : all;
    const page = isPart ? { total: all?.length ?? 0, offset } : undefined;
    const wanted = {
      page,
      projectId: id,
      ids,
      asOf: asked?.asOf,
      total: ids?.length ?? testsCount,
      progress,
      signal,
    };
    return format === 'csv' ? testsAsCsv(q, wanted) : testsAsJson(q, wanted);
  },
});
