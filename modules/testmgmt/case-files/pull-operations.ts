import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { closedObject, nullable } from '../../../core/base/schema.ts';
import { stepRecord } from '../cases/case-steps.ts';
import { extraOperation } from '../base/operation.ts';
import { projectId } from '../base/parameters.ts';
import { projectFor } from '../projects/project-store.ts';
import { byName } from '../rules/classification.ts';
import { contentsAfter } from './case-record-store.ts';

const name = nullable(Type.String());

const pulledTest = closedObject({
  testId: Type.Integer(),
  version: Type.Integer(),
  testName: Type.String(),
  section: Type.Array(Type.String(), { description: 'Its path; empty: none.' }),
  testDescription: Type.String(),
  preconditions: Type.String(),
  steps: Type.Array(stepRecord),
  ...byName(() => name),
  squad: name,
  labels: Type.Array(Type.String()),
  estimateSeconds: nullable(Type.Integer()),
});

export const pullTests = extraOperation({
  name: 'pull-tests',
  title: 'Read tests for files',
  description:
    'Returns the tests of a project with their versions, by id and with names instead of ids, for a copy in files: trivet cases pull ' +
    'writes them as Markdown, and push-tests takes changes of them. A page ends after `limit` tests or about 1 MiB.',
  input: closedObject({
    projectId,
    after: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        default: 0,
        description: 'nextAfter of the page before.',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000, default: 500, description: 'How many.' }),
    ),
  }),
  output: closedObject({
    projectId: Type.Integer(),
    tests: Type.Array(pulledTest),
    nextAfter: Type.Optional(Type.Integer({ description: 'There are more.' })),
  }),
  access: member('read'),
  effect: 'read',
  handler: ({ projectId: id, after = 0, limit = 500 }, { actor, db, signal }) =>
    db.reads(async (q) => {
      await projectFor(q, actor, id, 'read');
      const { tests, more } = await contentsAfter(q, id, { after, limit, signal });
      const last = tests.at(-1);
      return {
        projectId: id,
        tests: tests.map(({ testId, version, content }) => ({
          testId,
          version,
          ...content,
          section: [...content.section],
          steps: [...content.steps],
          labels: [...content.labels],
        })),
        ...(more && last && { nextAfter: last.testId }),
      };
    }),
});
