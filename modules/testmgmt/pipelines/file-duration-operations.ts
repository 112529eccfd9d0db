import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { closedObject, nullable } from '../../../core/base/schema.ts';
import { resultsOperation } from '../base/operation.ts';
import { projectId } from '../base/parameters.ts';
import { projectFor } from '../projects/project-store.ts';
import { durationFinder } from '../rules/file-shard.ts';
import { fileDurations } from './rows/file-duration-store.ts';

export const getFileDurations = resultsOperation({
  name: 'get-file-durations',
  title: 'How long test files take',
  description:
    'Returns for each test file what its tests took in the newest of the last ten runs of pipelines that ran it; null where no report named ' +
    'the file. trivet results split divides files by it.',
  input: closedObject({
    projectId,
    files: Type.Array(Type.String({ minLength: 1, maxLength: 1_000 }), {
      minItems: 1,
      maxItems: 10_000,
      description: 'Paths, as the test tool takes them.',
    }),
    exceptRunKey: Type.Optional(
      Type.String({ maxLength: 255, description: 'A build whose results do not count: the one that asks.' }),
    ),
  }),
  output: closedObject({
    runs: Type.Integer({ description: 'How many were read.' }),
    files: Type.Array(closedObject({ file: Type.String(), durationMs: nullable(Type.Number()) })),
  }),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q }, signal }) => {
    await projectFor(q, actor, input.projectId, 'read');
    const read = await fileDurations(q, input.projectId, { except: input.exceptRunKey, signal });
    const durationOf = durationFinder(read.durations);
    const files = input.files.map((file) => ({ file, durationMs: durationOf(file) }));
    return { runs: read.runs, files };
  },
});
