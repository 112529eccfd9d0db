import type { CaseBase } from '../case-files/case-base.ts';
import type { TestContent } from '../case-files/case-content.ts';
import { readTree } from '../case-files/case-tree.ts';

/** The most that Git may say, in bytes. */
const mostAnswered = 256 * 1024 * 1024;

/** The objects of `git cat-file --batch`, in the order of the names; null for a name that Git does not know. */
function objectsIn(answer: Buffer, count: number): ReadonlyArray<string | null> {
  const found: Array<string | null> = [];
  let at = 0;
  while (found.length < count) {
    const end = answer.indexOf(10, at);
    if (end < 0) break;
    const [, kind, size] = /^[0-9a-f]{40,64} (\w+) (\d{1,12})$/.exec(answer.toString('utf8', at, end)) ?? [];
    at = end + 1;
    if (kind === undefined) {
      found.push(null);
      continue;
    }
    found.push(kind === 'blob' ? answer.toString('utf8', at, at + Number(size)) : null);
    // The content ends with a line end that is not part of it.
    at += Number(size) + 1;
  }
  return found;
}

/**
 * What tests were when they were pulled, from the last commit of a Git repository: in a clone nobody else knows it without a server. Only
 * contents with the hash that `cases.json` has count; without Git, or outside of a repository, there are none.
 */
export async function committedContents(
  folder: string,
  { tests }: CaseBase,
  testIds: readonly number[],
): Promise<ReadonlyMap<string, TestContent>> {
  const known = testIds.flatMap((id) => tests.get(id) ?? []);
  const paths = [...new Set(known.map(({ path }) => path))].filter((path) => !path.includes('\n'));
  if (paths.length === 0) return new Map();
  const answer = await answerOfGit(folder, paths.map((path) => `HEAD:./${path}\n`).join(''));
  const texts = objectsIn(answer, paths.length);
  const files = new Map(
    paths.flatMap((path, index) => {
      const text = texts[index];
      return text === null || text === undefined ? [] : [[path, text] as const];
    }),
  );
  const wanted = new Set(known.map(({ hash }) => hash));
  return new Map(
    readTree(files).cases.flatMap(({ hash, content }) =>
      wanted.has(hash) ? [[hash, content] as const] : [],
    ),
  );
}

/** @returns nothing without Git or a repository. */
async function answerOfGit(folder: string, names: string): Promise<Buffer> {
  try {
    const git = Bun.spawn(['git', '-C', folder, 'cat-file', '--batch'], {
      stdin: new Blob([names]),
      stdout: 'pipe',
      stderr: 'ignore',
      maxBuffer: mostAnswered,
    });
    const answer = Buffer.from(await new Response(git.stdout).arrayBuffer());
    await git.exited;
    return answer;
  } catch {
    return Buffer.alloc(0);
  }
}
