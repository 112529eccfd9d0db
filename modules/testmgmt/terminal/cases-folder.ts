import { lstat, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { exit, UsageError } from '../../../core/base/errors.ts';
import { isMissingFile } from '../../../core/base/foreign-errors.ts';
import { CaseBaseFault, readBase, writtenBase, type CaseBase } from '../case-files/case-base.ts';
import { contentHash, type TestContent } from '../case-files/case-content.ts';
import { caseFileEnd } from '../case-files/case-path.ts';
import { readTree, type CaseFault, type CaseTree } from '../case-files/case-tree.ts';

/** Limits of a folder: more is not a folder of test cases. */
const [mostFiles, mostFolders, mostBytes] = [20_000, 20_000, 16 * 1024 * 1024];

const stateFolder = '.trivet';
const baseFile = join(stateFolder, 'cases.json');
/** The contents by hash that were pulled or pushed last: not committed, only so that merges need not ask the server. */
const contentFile = join(stateFolder, 'base.jsonl');

/** A folder with test cases in files. */
export interface CaseFolder {
  readonly path: string;
  readonly tree: CaseTree;
  /** undefined: nothing was pulled or pushed yet. */
  readonly base: CaseBase | undefined;
  readonly contents: ReadonlyMap<string, TestContent>;
}

/**
 * Reads the folder that the words of a command name; by default this one.
 * @param isMade the command makes a folder that is missing. Any other would find nothing to do in one that is misspelt, and succeed.
 * @throws UsageError.
 */
export async function readFolder(
  words: readonly string[],
  { isMade = false }: { readonly isMade?: boolean } = {},
): Promise<CaseFolder> {
  const [path = '.', ...more] = words;
  if (more.length > 0) throw new UsageError('Name one folder, e.g. trivet cases status tests/', exit.usage);
  const base = await textOf(join(path, baseFile));
  return {
    path,
    tree: readTree(await filesIn(path, isMade)),
    base: base === undefined ? undefined : parsedBase(join(path, baseFile), base),
    contents: contentsOf((await textOf(join(path, contentFile))) ?? ''),
  };
}

function parsedBase(path: string, text: string): CaseBase {
  try {
    return readBase(text);
  } catch (error) {
    if (error instanceof CaseBaseFault) throw new UsageError(`${path}: ${error.message}`);
    throw error;
  }
}

/** A line that was cut by a crash is left out: it is asked from the server again. */
function contentsOf(text: string): ReadonlyMap<string, TestContent> {
  const found = new Map<string, TestContent>();
  for (const line of text.split('\n')) {
    try {
      const content = JSON.parse(line) as TestContent;
      found.set(contentHash(content), content);
    } catch {
      continue;
    }
  }
  return found;
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

/** The files of test cases below a folder, by path with "/". Links and hidden folders are not followed. */
async function filesIn(root: string, isMade: boolean): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  const folders = [''];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    for (const entry of await entriesOf(join(root, folder), isMade && folder === '')) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
        folders.push(path);
      if (!entry.isFile() || !entry.name.endsWith(caseFileEnd)) continue;
      if (files.size >= mostFiles || folders.length >= mostFolders)
        throw new UsageError(
          `${root} has more than ${mostFiles} files of tests or folders. Name the folder with the tests.`,
        );
      const { size } = await lstat(join(root, path));
      if (size > mostBytes) throw new UsageError(`${path} is larger than ${mostBytes / 2 ** 20} MiB.`);
      files.set(path, utf8(await readFile(join(root, path)), path));
    }
  }
  return new Map([...files].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

async function entriesOf(path: string, mayBeMissing: boolean) {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch (error) {
    if (mayBeMissing && isMissingFile(error)) return [];
    if (isMissingFile(error)) throw new UsageError(`There is no folder ${path}.`);
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

/** Bytes that are no UTF-8 would be lost when the file is written. */
function utf8(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UsageError(`${path} is not UTF-8. Save it in this encoding.`);
  }
}

/** @throws UsageError that names the first faults with their places. */
export function requireNoFaults(faults: readonly CaseFault[]): void {
  if (faults.length === 0) return;
  const shown = faults.slice(0, 10).map(({ path, line, message }) => `${path}:${line}: ${message}.`);
  const rest = faults.length > shown.length ? ` And ${faults.length - shown.length} more.` : '';
  throw new UsageError(`${shown.join(' ')}${rest} Nothing was written.`);
}

/** What a pull or push leaves in a folder. */
interface FolderChange {
  readonly files: ReadonlyMap<string, string | null>;
  readonly base: CaseBase;
  /** The contents that `base` names. */
  readonly contents: readonly TestContent[];
}

/**
 * Writes the files, each whole or not at all, and at last what is known of the server: after an interruption the next pull or push sees
 * files that are newer than that, which it merges.
 */
export async function writeFolder(root: string, { files, base, contents }: FolderChange): Promise<void> {
  for (const [path, text] of files) {
    await requireNoLink(root, path);
    if (text === null) await rm(join(root, path), { force: true });
    else await writeWhole(join(root, path), text);
  }
  await requireNoLink(root, baseFile);
  await writeWhole(join(root, stateFolder, '.gitignore'), 'base.jsonl\n');
  await writeWhole(
    join(root, contentFile),
    contents.map((content) => `${JSON.stringify(content)}\n`).join(''),
  );
  await writeWhole(join(root, baseFile), writtenBase(base));
}

/** A folder that is a link could lead out of the tree. @throws UsageError. */
async function requireNoLink(root: string, path: string): Promise<void> {
  const parts = path.split('/');
  for (let depth = 1; depth <= parts.length; depth++) {
    const part = join(root, ...parts.slice(0, depth));
    const found = await lstat(part).catch(() => undefined);
    if (found?.isSymbolicLink()) throw new UsageError(`${part} is a link. Replace it by a folder or a file.`);
  }
}

async function writeWhole(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, text);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw new UsageError(`${path} cannot be written: ${(error as Error).message}`);
  }
}
