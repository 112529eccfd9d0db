import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, resolve, sep } from 'node:path';
import { Fault } from '../../../core/base/errors.ts';
import type { GivenFile } from '../../../core/base/given-file.ts';
import type { ToolCommandCall } from '../../../core/module/command.ts';
import type { ReportedTest } from '../pipelines/rows/upload-report.ts';
import { UnreadableResultFile } from '../result-files/cases/reported-case.ts';

/** Most files of one upload. */
const mostFiles = 1_000;

/** What became of the files that a report names. */
export interface UploadedAttachments {
  readonly uploaded: number;
  /** The files that were not uploaded, at most 20 of them. */
  readonly skipped: ReadonlyArray<{ readonly path: string; readonly why: string }>;
  readonly skippedTotal: number;
}

interface UploadedRun {
  readonly projectId: number;
  readonly runId: number;
  /** The first 100 tests that failed. */
  readonly failing: ReadonlyArray<Pick<ReportedTest, 'testId' | 'attachments'>>;
}

interface Reported {
  readonly testId: number;
  readonly attachments: readonly string[];
}

/** A report that was uploaded; the path `-` is stdin. */
type Report = GivenFile & { readonly path: string };

/**
 * Uploads the files that the results of a run name, for the failed cases or all. A file outside of the folders of the reports and a hidden
 * one are refused: a report from elsewhere could name any file of this machine, e.g. `.git/config` with the token of a checkout. A file that is not there may be of another job, and is left out; so is one
 * that these reports do not name: whoever else uploads to the run must not choose what leaves this machine.
 * @param reports of stdin: the current folder is theirs.
 */
export async function uploadAttachments(
  call: ToolCommandCall['call'],
  { projectId, runId, failing }: UploadedRun,
  of: 'failed' | 'all',
  reports: readonly Report[],
): Promise<UploadedAttachments> {
  const folders = await foldersOf(reports.map(({ path }) => path));
  let own: Promise<ReadonlySet<string>> | undefined;
  const skipped: Array<{ path: string; why: string }> = [];
  let uploaded = 0;
  const run = { projectId, runId };
  const results = of === 'all' ? everyResult(call, run) : failedResults(call, run, failing);
  for await (const { testId, attachments } of results) {
    for (const path of new Set(attachments)) {
      own ??= namedIn(reports);
      if (!(await own).has(path)) continue;
      const found = await fileIn(folders, path);
      if (found === undefined) continue;
      const why =
        'why' in found
          ? found.why
          : uploaded >= mostFiles
            ? `more than ${mostFiles} files`
            : await refusalOf(() => upload(call, { projectId, runId, testId }, found.path));
      if (why === undefined) uploaded++;
      else skipped.push({ path, why });
    }
  }
  return { uploaded, skipped: skipped.slice(0, 20), skippedTotal: skipped.length };
}

const upload = (call: ToolCommandCall['call'], to: object, path: string) =>
  call('add-attachment', { ...to, fileName: basename(path).slice(-255), ofPipeline: true }, [
    { name: basename(path), asIs: true, chunks: () => Bun.file(path).stream() },
  ]);

/** A missing screenshot must not fail a build. */
async function refusalOf(work: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
}

const fields = ['testId', 'attachments'];

/**
 * One call for each that names files: a run may have thousands of results, and few failed. An older server does not say which of them
 * name files.
 */
async function* failedResults(
  call: ToolCommandCall['call'],
  run: { readonly projectId: number; readonly runId: number },
  failing: UploadedRun['failing'],
): AsyncGenerator<Reported> {
  for (const { testId, attachments } of failing) {
    if (testId === null || attachments === 0) continue;
    const page = (await call('get-run-results', { ...run, testId, fields })) as {
      results: readonly Reported[];
    };
    yield* page.results;
  }
}

async function* everyResult(
  call: ToolCommandCall['call'],
  run: { readonly projectId: number; readonly runId: number },
): AsyncGenerator<Reported> {
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const page = (await call('get-run-results', { ...run, fields, limit: 500, offset })) as {
      results: readonly Reported[];
      nextOffset?: number;
    };
    yield* page.results;
    offset = page.nextOffset;
  }
}

/** What the results in some reports name. */
async function namedIn(reports: readonly Report[]): Promise<ReadonlySet<string>> {
  // Loaded only if a result names a file.
  const { readResultBatches } = await import('../result-files/result-file.ts');
  const { signal } = new AbortController();
  const named = new Set<string>();
  for (const { name, chunks } of reports) {
    const read = await readResultBatches(chunks(), { name, signal }).catch(nothingIfUnreadable);
    for (const batch of read?.batches() ?? [])
      for (const { attachments = [] } of batch) for (const path of attachments) named.add(path);
  }
  return named;
}

/** A newer server may read a report that this version cannot. */
function nothingIfUnreadable(error: unknown): undefined {
  if (!(error instanceof UnreadableResultFile)) throw error;
}

async function foldersOf(reports: readonly string[]): Promise<readonly string[]> {
  const folders = new Set<string>();
  for (const report of reports)
    folders.add(await realpath(report === '-' ? '.' : dirname(resolve(report))).catch(() => resolve('.')));
  return [...folders];
}

/** Hidden folders in which tools leave what they attach: Vitest and Playwright do. */
const ofTestTools = /^\.(?:vitest|playwright)/;

const isHidden = (path: string): boolean =>
  path.split(sep).some((part) => part.startsWith('.') && !ofTestTools.test(part));

/** The file that a report names; undefined if there is none. */
async function fileIn(
  folders: readonly string[],
  path: string,
): Promise<{ readonly path: string } | { readonly why: string } | undefined> {
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(path) || path.includes('\0')) return undefined;
  let isOutside = false;
  for (const folder of folders) {
    const real = await realpath(resolve(folder, path)).catch(() => undefined);
    if (real === undefined) continue;
    const within = folder.endsWith(sep) ? folder : folder + sep;
    if (!real.startsWith(within)) isOutside = true;
    else if ((await stat(real)).isFile())
      return isHidden(real.slice(within.length))
        ? { why: 'it, or a folder above it, is hidden; have it written elsewhere' }
        : { path: real };
  }
  return isOutside
    ? { why: 'it is outside of the folder of the report; write the report to a folder above it' }
    : undefined;
}

/** A sentence for people; undefined if there is nothing to say. */
export function attachmentsNote({
  uploaded,
  skipped,
  skippedTotal,
}: UploadedAttachments): string | undefined {
  if (uploaded === 0 && skippedTotal === 0) return undefined;
  const [first] = skipped;
  const left = first ? `; ${skippedTotal} left out, e.g. ${first.path}: ${first.why.replace(/\.$/, '')}` : '';
  return `${uploaded} ${uploaded === 1 ? 'attachment' : 'attachments'} uploaded${left}.`;
}
