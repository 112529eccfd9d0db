import { FileFault } from '../../result-files/text/file-fault.ts';
import { JsonTree } from '../../result-files/text/json-document.ts';
import { JsonReader, type JsonHandler } from '../../result-files/text/json-reader.ts';

/** The text is not JSON, or has the wrong structure. The message says which. */
export class InvalidJson extends Error {}

/** A test has at most about 5,000 commas, colons and brackets: 500 steps of three members. */
const tokensPerItem = 12_000;
const maxDepth = 16;
/** No file has more space than this between two values. */
const spaces = 1_000_000;
/** Characters read without a pause. */
const stepLength = 16 * 1024;

/**
 * The items of a list of tests in a JSON document, which is that list or an object with the list `member`. Yields undefined where the
 * reader may pause: `JSON.parse` of a whole file blocks the event loop (16 MiB of small values take 3.6 s and 1.3 GB, measured).
 * @throws InvalidJson.
 */
export function* jsonItems(
  text: string,
  member: string,
): Generator<{ readonly value: unknown } | undefined, void> {
  const items = new ListItems(member);
  const reader = new JsonReader(items, { depth: maxDepth + 2, spaces });
  try {
    for (let at = 0; at < text.length; at += stepLength) {
      reader.write(text.slice(at, at + stepLength));
      yield* items.taken();
      yield undefined;
    }
    reader.end();
    items.end();
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
    // The depth limit is never reached: a test is less deeply nested.
    throw error.message.includes('spaces') ? new InvalidJson(error.message) : notJson();
  }
}

const notJson = () => new InvalidJson('It is not JSON.');

/** Collects the items of the list; anything else in the object is only checked. */
class ListItems implements JsonHandler {
  readonly #member: string;
  /** The open value, with its contents so far. */
  readonly #tree = new JsonTree();
  #items: Array<{ readonly value: unknown }> = [];
  #state: 'begin' | 'object' | 'list' | 'member' | 'end' = 'begin';
  #isFound = false;
  #key = '';
  #tokens = 0;

  constructor(member: string) {
    this.#member = member;
  }

  open(isList: boolean): void {
    if (this.#state === 'begin') {
      this.#state = isList ? 'list' : 'object';
      this.#isFound = isList;
    } else if (this.#isTheList()) {
      if (this.#isFound || !isList) throw this.#otherForm();
      this.#state = 'member';
      this.#isFound = true;
    } else {
      this.#count();
      this.#tree.open(isList);
      if (this.#tree.depth > maxDepth) throw new InvalidJson(`A test nests deeper than ${maxDepth} levels.`);
    }
  }

  key(name: string): void {
    if (this.#tree.depth === 0) this.#key = name;
    else {
      this.#count();
      this.#tree.key(name);
    }
  }

  value(value: unknown): void {
    if (this.#state === 'begin' || this.#isTheList()) throw this.#otherForm();
    this.#count();
    this.#tree.value(value);
    this.#valueEnded();
  }

  close(): void {
    if (this.#tree.depth > 0) {
      this.#tree.close();
      this.#valueEnded();
    } else if (this.#state === 'member') this.#state = 'object';
    else if (this.#isFound) this.#state = 'end';
    else throw this.#otherForm();
  }

  /** The items completed since the last call. */
  taken(): ReadonlyArray<{ readonly value: unknown }> {
    const items = this.#items;
    this.#items = [];
    return items;
  }

  end(): void {
    if (this.#state !== 'end') throw notJson();
  }

  /** Whether the value that begins must be the list. */
  #isTheList(): boolean {
    if (this.#state === 'end') throw notJson();
    return this.#state === 'object' && this.#tree.depth === 0 && this.#key === this.#member;
  }

  #valueEnded(): void {
    if (this.#tree.depth > 0) return;
    const value = this.#tree.roots.pop();
    if (this.#state !== 'object') this.#items.push({ value });
    this.#tokens = 0;
  }

  #count(): void {
    if (++this.#tokens > tokensPerItem)
      throw new InvalidJson(`A test has more than ${tokensPerItem} values.`);
  }

  #otherForm(): InvalidJson {
    return new InvalidJson(`It is neither a list of tests nor an object with "${this.#member}".`);
  }
}
