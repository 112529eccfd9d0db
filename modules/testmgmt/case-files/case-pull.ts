import type { CaseBase, SyncedCase } from './case-base.ts';
import { comparedContent, contentHash, type TestContent } from './case-content.ts';
import { withConflicts } from './case-conflict.ts';
import { writtenDocument, type CaseDocument, type CasePart } from './case-document.ts';
import { mergeCase } from './case-merge.ts';
import { pathOfSection, sectionKey, sectionOfPath } from './case-path.ts';
import { changedBlock, newBlock } from './case-rewrite.ts';
import type { CaseTree, FileCase } from './case-tree.ts';

export interface ServerCase {
  readonly testId: number;
  readonly version: number;
  readonly content: TestContent;
}

const pullOutcomes = ['added', 'changed', 'removed', 'conflict', 'deleted here', 'kept'] as const;

interface PulledCase {
  readonly testId: number;
  readonly path: string;
  readonly outcome: (typeof pullOutcomes)[number];
  /** A sentence for what somebody must decide. */
  readonly note?: string;
}

interface PullPlan {
  /** The files to write, by path; null: the file has nothing any more. */
  readonly files: ReadonlyMap<string, string | null>;
  readonly base: CaseBase;
  readonly pulled: readonly PulledCase[];
}

interface Given {
  readonly tree: CaseTree;
  readonly base: CaseBase;
  readonly server: readonly ServerCase[];
  /** The content that a test had when it was pulled or pushed; undefined: nobody knows it any more. */
  readonly baseOf: (testId: number) => TestContent | undefined;
}

/**
 * Whether the server has nothing new. The version alone does not say it: labels and values are renamed, and sections renamed and moved,
 * without a new version of their tests. A section in another case is the same file.
 */
export function isAsKnown(here: FileCase, { version, content }: ServerCase, known: SyncedCase): boolean {
  if (known.version !== version) return false;
  const isSamePlace = sectionKey(content.section) === sectionKey(here.content.section);
  const inPlace = isSamePlace ? [{ ...content, section: here.content.section }] : [];
  return [content, ...inPlace].some((one) => contentHash(one) === known.hash);
}

/** What a pull does to the files. Nothing of a file changes but the fields that changed on the server. */
export function planPull(given: Given): PullPlan {
  const pull = new Pull(given);
  const byId = new Map(
    given.tree.cases.flatMap((one) => (one.testId === null ? [] : [[one.testId, one] as const])),
  );
  const live = new Set(given.server.map(({ testId }) => testId));
  for (const test of given.server) {
    const here = byId.get(test.testId);
    if (here) pull.update(here, test);
    else pull.add(test);
  }
  for (const [testId, known] of given.base.tests)
    if (!live.has(testId)) pull.remove(testId, known, byId.get(testId));
  return pull.plan();
}

class Pull {
  readonly #given: Given;
  /** By the place of a block: its new parts, or null where it is gone. */
  readonly #changed = new Map<FileCase['block'], readonly CasePart[] | null>();
  readonly #added = new Map<string, Array<readonly CasePart[]>>();
  readonly #tests: Map<number, SyncedCase>;
  /** The files, by {@link sectionKey}. */
  readonly #paths: Map<string, string>;
  readonly #pulled: PulledCase[] = [];

  constructor(given: Given) {
    this.#given = given;
    this.#tests = new Map(given.base.tests);
    this.#paths = new Map(
      [...given.tree.documents.keys()].map((path) => [sectionKey(sectionOfPath(path)), path]),
    );
  }

  add({ testId, version, content }: ServerCase): void {
    const known = this.#given.base.tests.get(testId);
    if (known?.version === version) {
      this.#pulled.push({
        testId,
        path: known.path,
        outcome: 'deleted here',
        note: 'It is not in the files any more: trivet cases push --delete removes it on the server.',
      });
      return;
    }
    const path = this.#pathOf(content.section);
    this.#append(path, newBlock(testId, comparedContent(content), this.#eolOf(path)));
    this.#tests.set(testId, { path, version, hash: contentHash(content) });
    const note =
      'It was deleted here and changed on the server, so it is here again. Remove it once more to delete it.';
    this.#pulled.push({ testId, path, outcome: 'added', ...(known && { note }) });
  }

  update(here: FileCase, test: ServerCase): void {
    const { testId, version, content } = test;
    const known = this.#given.base.tests.get(testId);
    // Also where the server has nothing new: a test with marks is neither what this folder wants nor what the server has.
    if (here.block.isUnresolved) {
      const note = 'Resolve the marks in it first.';
      this.#pulled.push({ testId, path: here.path, outcome: 'conflict', note });
      return;
    }
    if (known && isAsKnown(here, test, known)) return;
    const hash = contentHash(content);
    const base = this.#baseFor(here, content, known);
    const { content: merged, changed, conflicts } = mergeCase({ base, file: here.content, server: content });
    let path = here.path;
    if (changed.length > 0 || conflicts.length > 0) {
      const eol = this.#eolOf(path);
      const fields = changed.filter((field) => field !== 'section');
      const parts = changedBlock(here.block, merged, fields, { eol });
      const sides = { file: comparedContent(here.content), server: comparedContent(content) };
      const next = conflicts.length === 0 ? parts : withConflicts({ parts }, conflicts, sides, eol);
      if (sectionKey(merged.section) === sectionKey(here.content.section))
        this.#changed.set(here.block, next);
      else {
        path = this.#pathOf(merged.section);
        this.#changed.set(here.block, null);
        this.#append(path, next);
      }
      const outcome = conflicts.length > 0 ? ('conflict' as const) : ('changed' as const);
      this.#pulled.push({ testId, path, outcome });
    }
    this.#tests.set(testId, { path, version, hash });
  }

  /** A test that is not on the server any more. */
  remove(testId: number, known: SyncedCase, here: FileCase | undefined): void {
    if (here && here.hash !== known.hash) {
      const note =
        'It was deleted on the server and changed here: restore-test brings it back, or remove it here.';
      this.#pulled.push({ testId, path: here.path, outcome: 'kept', note });
      return;
    }
    this.#tests.delete(testId);
    if (!here) return;
    this.#changed.set(here.block, null);
    this.#pulled.push({ testId, path: here.path, outcome: 'removed' });
  }

  plan(): PullPlan {
    const files = new Map<string, string | null>();
    const { documents } = this.#given.tree;
    for (const [path, document] of documents) {
      const before = writtenDocument(document);
      const text = this.#written(document, this.#added.get(path) ?? []);
      if (text !== before) files.set(path, text.trim() === '' ? null : text);
    }
    for (const [path, blocks] of this.#added)
      if (!documents.has(path))
        files.set(path, this.#written({ preamble: '', blocks: [], eol: '\n' }, blocks));
    return { files, base: { ...this.#given.base, tests: this.#tests }, pulled: this.#pulled };
  }

  /** What both sides knew. */
  #baseFor(here: FileCase, server: TestContent, known: SyncedCase | undefined): TestContent | undefined {
    // Somebody committed the file without cases.json.
    if (known === undefined) return contentHash(server) === here.hash ? server : undefined;
    return known.hash === here.hash ? here.content : this.#given.baseOf(here.testId ?? 0);
  }

  #append(path: string, parts: readonly CasePart[]): void {
    this.#added.set(path, [...(this.#added.get(path) ?? []), parts]);
  }

  /**
   * A file whose section is the same before a new one, however its name is written: to some file systems a name in another case or
   * with another encoding of accents is the same, and a new file would take the place of the old one.
   */
  #pathOf(section: readonly string[]): string {
    const path = pathOfSection(section);
    const key = sectionKey(section);
    const isThere = this.#given.tree.documents.has(path);
    const found = isThere ? path : (this.#paths.get(key) ?? path);
    this.#paths.set(key, found);
    return found;
  }

  #eolOf(path: string): string {
    return this.#given.tree.documents.get(path)?.eol ?? '\n';
  }

  #written({ preamble, blocks, eol }: CaseDocument, added: ReadonlyArray<readonly CasePart[]>): string {
    const raw = (parts: readonly CasePart[]) => parts.map((part) => part.raw).join('');
    const kept = blocks.flatMap((block) => {
      const parts = this.#changed.get(block);
      return parts === null ? [] : [raw(parts ?? block.parts)];
    });
    let text = preamble + kept.join('');
    for (const parts of added) {
      const isApart = text === '' || /\n\r?\n$/.test(text);
      text += (isApart ? '' : text.endsWith('\n') ? eol : eol + eol) + raw(parts);
    }
    return text;
  }
}
