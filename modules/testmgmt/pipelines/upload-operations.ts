import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import type { Context, Host } from '../../../core/host/host.ts';
import { closedObject, recordId } from '../../../core/base/schema.ts';
import { textHead } from '../../../core/text/text-head.ts';
import { fail } from '../base/errors.ts';
import { resultsOperation } from '../base/operation.ts';
import { testmgmtMetrics } from '../base/metrics.ts';
import { projectNamed } from '../projects/project-store.ts';
import { sumOf } from './rows/upload-cases.ts';
import { readFiles } from './upload/upload-files.ts';
import { uploadReport } from './rows/upload-report.ts';
import { uploadReportOf } from './upload/upload-report-of.ts';
import { uploadResults, type Uploaded } from './upload/upload.ts';

const word = (description: string) => Type.Optional(Type.String({ maxLength: 255, description }));

/** The description of the build in an upload. */
const buildParameters = {
  branch: word('The branch; an upload is compared with the last run of the same pipeline and branch.'),
  baseBranch: word(
    'The branch that it is to be merged into, or the default branch: compared with if the branch has no run yet.',
  ),
  commit: word('The commit.'),
  provider: word('The CI system, e.g. github.'),
  repository: word('e.g. acme/shop'),
  workflow: word('The workflow or pipeline.'),
  buildNumber: word('The number of the build.'),
  jobUrl: Type.Optional(
    Type.String({ maxLength: 2_000, pattern: '^https?://', description: 'The job in the CI system.' }),
  ),
  author: word('Who made the commit.'),
  pullRequest: word('Its number.'),
};

/** Most characters of one inline file; a whole body has at most 16 MiB. */
const inlineLimit = 8 * 1024 * 1024;

export const ingestResults = resultsOperation({
  name: 'ingest-results',
  title: 'Store the results of a pipeline',
  description:
    'Stores what test tools wrote (JUnit XML, CTRF, TAP, TRX, Playwright, Allure, Cucumber, go test and others, found by content) as a run: ' +
    'finds the test of each case, says what is new, failing, fixed, missing and renamed. Uploads with one `runKey` meet in one run, ' +
    'and the same file again changes nothing. `dryRun` writes nothing and answers the same. For large files: trivet results, or POST /api/results.',
  input: closedObject({
    projectId: Type.Optional(recordId('From get-projects. Or give `project`.')),
    project: word('The id or the exact name, instead of `projectId`.'),
    files: Type.Optional(
      Type.Array(
        closedObject({
          name: Type.String({ minLength: 1, maxLength: 255, description: 'e.g. junit.xml' }),
          content: Type.String({ maxLength: inlineLimit, description: 'The text of the file.' }),
        }),
        { maxItems: 100, description: 'Files that are sent inline, each at most 8 MiB.' },
      ),
    ),
    runKey: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        pattern: '\\S',
        description:
          'What all uploads of one build share. Unless given, the contents decide: the same files, the same run.',
      }),
    ),
    runName: word('The name of a new run.'),
    create: Type.Optional(
      Type.Boolean({
        description:
          'Create tests for unknown cases. By default only in the first run of a project that a pipeline makes.',
      }),
    ),
    dryRun: Type.Optional(Type.Boolean({ default: false, description: 'Write nothing.' })),
    acceptRenames: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Take the renames that nobody would doubt as the same tests; others are only named.',
      }),
    ),
    job: word('What tells jobs of one build apart and stays when one is run again.'),
    ...buildParameters,
  }),
  output: uploadReport,
  access: member('write'),
  effect: 'update',
  takesFiles: { path: '/api/results' },
  handler: async (input, context) => {
    const { projectId: id, project, files: inline = [], runKey, runName, create, ...rest } = input;
    const { dryRun = false, acceptRenames = false, job = '', ...source } = rest;
    const projectId = await projectOf({ projectId: id, project }, context);
    const given = [
      ...inline.map(({ name, content }) => ({ name, chunks: () => new Blob([content]).stream() })),
      ...context.files,
    ];
    if (given.length === 0) throw fail.NO_RESULT_FILES('No file with results was given.', { cause: 'files' });
    const { files, digest } = await readFiles(given, context.signal);
    const upload = {
      projectId,
      runKey: runKey ?? `content ${digest}`,
      runName: runName ?? nameOf(source, context.clock.now()),
      create,
      dryRun,
      acceptRenames,
      job,
      source,
      files,
    };
    const uploaded = await uploadResults(upload, context);
    if (!dryRun) countIngested(uploaded, context.host);
    const { db, signal, host, surface, config } = context;
    // A command has no address of its own.
    const isServed =
      (surface !== 'cli' && surface !== 'stdio') || config.sourceOf('public-url') !== undefined;
    const url =
      uploaded.runId !== null && isServed && host.modules.includes('console')
        ? `${host.origin()}/console/projects/${projectId}/runs/${uploaded.runId}`
        : undefined;
    return { ...(await uploadReportOf(db.q, upload, uploaded, signal)), ...(url && { url }) };
  },
});

function countIngested({ totals }: Pick<Uploaded, 'totals'>, { metrics }: Pick<Host, 'metrics'>): void {
  metrics.count(testmgmtMetrics.ingestedFiles, [], totals.length);
  const { passed, failed, skipped } = sumOf(totals);
  for (const [status, cases] of Object.entries({ passed, failed, skipped }))
    metrics.count(testmgmtMetrics.ingestedCases, [status], cases);
}

async function projectOf(
  { projectId, project }: { projectId: number | undefined; project: string | undefined },
  { db, actor }: Pick<Context, 'db' | 'actor'>,
): Promise<number> {
  if (projectId !== undefined && project === undefined) return projectId;
  if (projectId === undefined && project !== undefined) return projectNamed(db.q, actor, project);
  throw fail.INVALID_REQUEST(
    projectId === undefined
      ? 'Which project? Give projectId or project.'
      : 'Give projectId or project, not both.',
    { cause: 'projectId', tip: 'get-projects lists the projects of an organization.' },
  );
}

interface NamedBuild {
  readonly workflow?: string | undefined;
  readonly buildNumber?: string | undefined;
  readonly branch?: string | undefined;
  readonly commit?: string | undefined;
}

/** E.g. `CI #12 · main @ 1a2b3c4`; with the time where nothing else tells it from the run before. */
function nameOf({ workflow, buildNumber, branch, commit }: NamedBuild, now: number): string {
  const build = [workflow, buildNumber === undefined ? undefined : `#${buildNumber}`]
    .filter(Boolean)
    .join(' ');
  const place = [branch, commit === undefined ? undefined : `@ ${commit.slice(0, 7)}`]
    .filter(Boolean)
    .join(' ');
  const time = `${new Date(now).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const isToldApart = buildNumber !== undefined || commit !== undefined;
  const name = [build, place, isToldApart ? '' : time].filter((part) => part !== '').join(' · ');
  return textHead(name === time ? `Results of ${time}` : name, 255);
}
