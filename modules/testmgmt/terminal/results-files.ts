import { realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { GivenFile } from '../../../core/base/given-file.ts';
import { UsageError } from '../../../core/base/errors.ts';

/** The files of a folder that may contain results; other files there are attachments and logs. */
const inFolder = '**/*.{xml,json,trx,tap,jsonl,ndjson,gz}';
/** Most files of one upload. */
const fileLimit = 10_000;

/**
 * The files named by the arguments of a command: paths, patterns, folders, and `-` for stdin. They are in argument order, those of a
 * pattern by name, because cases with the same name are numbered in this order. A file counts once, however often and by whichever path or
 * link it is named.
 * @throws UsageError for a path that does not exist and a pattern that matches nothing.
 */
export async function resultFilesOf(
  words: readonly string[],
  input: () => AsyncIterable<Uint8Array>,
): Promise<ReadonlyArray<GivenFile & { readonly path: string }>> {
  const found = new Map<string, GivenFile & { readonly path: string }>();
  for (const word of words) {
    if (word === '-') {
      found.set('-', { path: '-', name: 'stdin', chunks: readOnce(input) });
      continue;
    }
    for (const path of await pathsOf(word)) {
      const file = await realpath(path).catch(() => resolve(path));
      if (!found.has(file)) found.set(file, { path, name: path.slice(-255), chunks: await chunksOf(path) });
    }
    if (found.size > fileLimit) throw new UsageError(`More than ${fileLimit} files. Give fewer in one call.`);
  }
  return [...found.values()];
}

/** A pipe of a shell, as in `<(…)`, ends like stdin. */
async function chunksOf(path: string): Promise<() => AsyncIterable<Uint8Array>> {
  const read = () => Bun.file(path).stream();
  return (await stat(path)).isFIFO() ? readOnce(read) : read;
}

/** Keeps, packed, what a source gives that gives it only once: the report is read again for the files that it names. */
function readOnce(source: () => AsyncIterable<Uint8Array>): () => AsyncIterable<Uint8Array> {
  let kept: Blob | undefined;
  return async function* () {
    if (kept) {
      yield* kept.stream().pipeThrough(new DecompressionStream('gzip'));
      return;
    }
    const { writable, readable } = new CompressionStream('gzip');
    const writer = writable.getWriter();
    const packed = new Response(readable).blob();
    for await (const chunk of source()) {
      await writer.write(new Uint8Array(chunk));
      yield chunk;
    }
    await writer.close();
    kept = await packed;
  };
}

async function pathsOf(word: string): Promise<readonly string[]> {
  const entry = await stat(word).catch(() => undefined);
  if (entry?.isFile() || entry?.isFIFO()) return [word];
  const isFolder = entry?.isDirectory() === true;
  const isPattern = isFolder || /[*?[{]/.test(word);
  const paths = isFolder ? await filesIn(word) : isPattern ? await filesFor(word) : [];
  if (paths.length === 0)
    throw new UsageError(
      isPattern
        ? `No file matches ${word}. Did the tests write their results there?`
        : `There is no file ${word}. Did the tests write their results there?`,
    );
  // In addition to its results, Allure writes shared data and attachments.
  const ofAllure = isFolder ? paths.filter((path) => path.endsWith('-result.json')) : [];
  return (ofAllure.length > 0 ? ofAllure : paths).toSorted();
}

/** The folder stands outside of the pattern: its name may contain signs of one. */
async function filesIn(folder: string): Promise<readonly string[]> {
  const inside = folder.replace(/(?<!\/)\/+$/, '');
  return (await filesFor(inFolder, folder)).map((path) => `${inside}/${path}`);
}

/** The files that a pattern matches, and links to files: a shell expands a pattern to both. Links to folders are not followed. */
async function filesFor(pattern: string, cwd = '.'): Promise<readonly string[]> {
  const files: string[] = [];
  for await (const path of new Bun.Glob(pattern).scan({ cwd, onlyFiles: false, dot: false })) {
    const entry = await stat(resolve(cwd, path)).catch(() => undefined);
    if (entry?.isFile()) files.push(path);
  }
  return files;
}
