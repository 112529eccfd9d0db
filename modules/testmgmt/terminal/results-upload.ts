import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { exit, UsageError } from '../../../core/base/errors.ts';
import type { CommandAnswer, ToolCommandCall } from '../../../core/module/command.ts';
import { clientSettings, type Values } from '../../../core/settings/settings.ts';
import { ciEnvironmentOf, runKeyOf, runNameOf, type CiEnvironment } from '../ci/ci-environment.ts';
import { reportGithub } from '../ci/report-github.ts';
import { reportGitlab } from '../ci/report-gitlab.ts';
import { reportMarkdown } from '../ci/report-markdown.ts';
import { reportTable } from '../ci/report-table.ts';
import { failsBy } from '../ci/report-verdict.ts';
import type { UploadReport } from '../pipelines/rows/upload-report.ts';
import { attachmentsNote, uploadAttachments, type UploadedAttachments } from './results-attachments.ts';
import { projectIdOf } from './project-choice.ts';
import { unlessRefused } from './refused-upload.ts';
import { resultsSettings } from './results-settings.ts';
import { resultFilesOf } from './results-files.ts';

/** Uploads results files of a pipeline and reports the outcome. @throws UsageError, Fault. */
export async function uploadResultFiles(given: ToolCommandCall): Promise<CommandAnswer> {
  const { words, config, env, call, input } = given;
  if (words.length === 0)
    throw new UsageError(
      'Name the files that the tests wrote, e.g. trivet results "reports/*.xml" --project Shop, or - for stdin.',
      exit.usage,
    );
  const settings = config.read(resultsSettings);
  const files = await resultFilesOf(words, input);
  const environment = ciEnvironmentOf(env, await eventOf(env));
  const projectId = await projectIdOf((tool, args) => call(tool, args), settings.project);
  const report = (await unlessRefused(
    call('ingest-results', { projectId, ...inputOf(settings, environment) }, files),
  )) as UploadReport;
  const attachments =
    settings.attachments === 'none' || report.runId === null || report.dryRun
      ? undefined
      : await uploadAttachments(
          (tool, args, sent) => call(tool, args, sent),
          { projectId, runId: report.runId, failing: [...report.failing, ...(report.quarantined ?? [])] },
          settings.attachments as 'failed' | 'all',
          files,
        );
  const note = [
    attachments && attachmentsNote(attachments),
    await writeComment(report, { projectId, file: settings['comment-file'] }),
  ]
    .filter(Boolean)
    .join('\n');
  const output = outputOf(given, settings.output, environment.provider);
  await writeSummary(report, output, env);
  return {
    output: textOf(report, given, output, attachments),
    ...(note !== '' && { note }),
    failed: failsBy(report, settings['fail-on'] as 'any' | 'new' | 'none'),
  };
}

/** The description of the build: from the flags, else from the CI environment. */
function inputOf(
  settings: Values<typeof resultsSettings>,
  environment: CiEnvironment,
): Record<string, unknown> {
  const { provider, repository, workflow, baseBranch, buildNumber, jobUrl, author, pullRequest } =
    environment;
  const given = {
    runKey: settings['run-key'] ?? runKeyOf(environment),
    runName: settings['run-name'] ?? runNameOf(environment),
    create: settings.create === undefined ? undefined : settings.create === 'on',
    dryRun: settings['dry-run'],
    acceptRenames: settings['accept-renames'],
    job: settings.job ?? environment.job,
    branch: settings.branch ?? environment.branch,
    commit: settings.commit ?? environment.commit,
    provider,
    repository,
    workflow,
    baseBranch: settings['base-branch'] ?? baseBranch,
    buildNumber,
    jobUrl,
    author,
    pullRequest,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** A terminal and the log of a CI are read by people; any other stdout is read by a program. */
function outputOf(
  { config, terminalWidth }: Pick<ToolCommandCall, 'config' | 'terminalWidth'>,
  chosen: string | undefined,
  provider: CiEnvironment['provider'],
): string {
  if (config.read(clientSettings).json) return 'json';
  if (chosen !== undefined) return chosen;
  if (terminalWidth !== undefined) return 'table';
  if (provider === undefined) return 'json';
  return provider === 'github' || provider === 'gitlab' ? provider : 'table';
}

function textOf(
  report: UploadReport,
  { env, clock, terminalWidth }: Pick<ToolCommandCall, 'env' | 'clock' | 'terminalWidth'>,
  output: string,
  attachments: UploadedAttachments | undefined,
): string {
  switch (output) {
    case 'github':
      return reportGithub(report, { workspace: env['GITHUB_WORKSPACE'] });
    case 'gitlab':
      return reportGitlab(report, { now: clock.now() });
    case 'markdown':
      return reportMarkdown(report);
    case 'table':
      return reportTable(report, { width: terminalWidth ?? 120 });
    default:
      return `${JSON.stringify({ ...report, ...(attachments && attachmentsNote(attachments) ? { attachments } : {}) })}\n`;
  }
}

/**
 * Writes the file of a comment on a pull or merge request (`--comment-file`). Its first line names the project only, so each build finds the
 * comment of the build before.
 * @returns why it was not written; the results are stored, so the build does not fail for it.
 */
async function writeComment(
  report: UploadReport,
  { projectId, file }: { readonly projectId: number; readonly file: string | undefined },
): Promise<string | undefined> {
  if (file === undefined) return undefined;
  try {
    await writeFile(file, `<!-- trivet results of project ${projectId} -->\n${reportMarkdown(report)}`);
    return undefined;
  } catch (error) {
    return `${file} was not written: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** The event that started a job of GitHub Actions: only it contains the branch and commit of a pull request. */
export async function eventOf(env: ToolCommandCall['env']): Promise<unknown> {
  const path = env['GITHUB_EVENT_PATH'];
  if (path === undefined) return undefined;
  try {
    return JSON.parse(await readFile(path, 'utf8')) as unknown;
  } catch {
    return undefined;
  }
}

/** Writes the summary page of a step of GitHub Actions. A page that cannot be written must not fail the build. */
async function writeSummary(
  report: UploadReport,
  output: string | undefined,
  env: ToolCommandCall['env'],
): Promise<void> {
  const path = env['GITHUB_STEP_SUMMARY'];
  if (output !== 'github' || path === undefined) return;
  await appendFile(path, reportMarkdown(report)).catch(() => {});
}
