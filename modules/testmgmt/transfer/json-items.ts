/*
 * The items of a list of tests in a JSON document, one after the other. `JSON.parse` of a whole file blocks the event loop: 16 MiB of
 * small values take 3.6 s and 1.3 GB (measured). Here each item is found by its brackets and parsed by itself.
 */

/** The text is not JSON, or has another form. The message says which. */
export class InvalidJson extends Error {}

/** A test has at most about 5,000 commas, colons and brackets: 500 steps of three members. Each costs about 1 µs to parse. */
const tokensPerItem = 12_000;
const maxDepth = 16;
const stepLength = 64 * 1024;

/**
 * The items of a document that is a list, or an object with the list `member`. Yields undefined between them and inside long
 * ones, where the reader may pause.
 * @throws InvalidJson.
 */
export function* jsonItems(
  text: string,
  member: string,
): Generator<{ readonly value: unknown } | undefined, void> {
  const at = skipSpace(text, text.charCodeAt(0) === 0xfeff ? 1 : 0);
  let end: number;
  if (text[at] === '[') end = yield* itemsAt(text, at);
  else if (text[at] === '{') end = yield* membersAt(text, at, member);
  else throw /^(?:null|true|false|-?\d|")/.test(text.slice(at, at + 5)) ? otherForm(member) : notJson();
  if (skipSpace(text, end) < text.length) throw notJson();
}

const notJson = () => new InvalidJson('It is not JSON.');
const otherForm = (member: string) =>
  new InvalidJson(`It is neither a list of tests nor an object with "${member}".`);

/** No file has more space than this between two values. It is skipped without a pause. */
const maxSpace = 1_000_000;

function skipSpace(text: string, at: number): number {
  for (let place = at; place - at <= maxSpace; place++) {
    const code = text.charCodeAt(place);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return place;
  }
  throw new InvalidJson(`It has more than ${maxSpace} spaces in a row.`);
}

/** The items of the list that begins here. @returns the position after it. */
function* itemsAt(text: string, begin: number): Generator<{ readonly value: unknown } | undefined, number> {
  let at = skipSpace(text, begin + 1);
  if (text[at] === ']') return at + 1;
  for (;;) {
    const end = yield* endOfValue(text, at);
    yield { value: parsed(text, at, end) };
    at = skipSpace(text, end);
    if (text[at] === ']') return at + 1;
    if (text[at] !== ',') throw notJson();
    at = skipSpace(text, at + 1);
  }
}

/** The items of one member of the object that begins here. The other members are only checked. @returns the position after it. */
function* membersAt(
  text: string,
  begin: number,
  member: string,
): Generator<{ readonly value: unknown } | undefined, number> {
  let found = false;
  let at = skipSpace(text, begin + 1);
  if (text[at] === '}') throw otherForm(member);
  for (;;) {
    if (text[at] !== '"') throw notJson();
    const nameEnd = yield* endOfValue(text, at);
    const name = parsed(text, at, nameEnd);
    at = skipSpace(text, nameEnd);
    if (text[at] !== ':') throw notJson();
    at = skipSpace(text, at + 1);
    if (name === member) {
      if (found || text[at] !== '[') throw otherForm(member);
      found = true;
      at = yield* itemsAt(text, at);
    } else {
      const end = yield* endOfValue(text, at);
      parsed(text, at, end);
      at = end;
    }
    at = skipSpace(text, at);
    if (text[at] === '}') break;
    if (text[at] !== ',') throw notJson();
    at = skipSpace(text, at + 1);
  }
  if (!found) throw otherForm(member);
  return at + 1;
}

function parsed(text: string, begin: number, end: number): unknown {
  try {
    return JSON.parse(text.slice(begin, end));
  } catch {
    throw notJson();
  }
}

const opening = new Set([0x5b, 0x7b]);
const closing = new Set([0x5d, 0x7d]);

/** Finds the end of the value that begins here, only by brackets and quotes: parsing checks what is inside. */
function* endOfValue(text: string, begin: number): Generator<undefined, number> {
  let depth = 0;
  let tokens = 0;
  let paused = begin;
  for (let at = begin; at < text.length; at++) {
    if (at - paused > stepLength) {
      paused = at;
      yield undefined;
    }
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      for (at++; at < text.length && text.charCodeAt(at) !== 0x22; at++) {
        if (text.charCodeAt(at) === 0x5c) at++;
        if (at - paused > stepLength) {
          paused = at;
          yield undefined;
        }
      }
      if (at >= text.length) throw notJson();
      if (depth === 0) return at + 1;
    } else if (opening.has(code)) {
      if (++depth > maxDepth) throw new InvalidJson(`A test nests deeper than ${maxDepth} levels.`);
      tokens++;
    } else if (closing.has(code)) {
      if (depth === 0) return at;
      if (--depth === 0) return at + 1;
    } else if (code === 0x2c || code === 0x3a) {
      if (depth === 0) return at;
      tokens++;
    }
    if (tokens > tokensPerItem) throw new InvalidJson(`A test has more than ${tokensPerItem} values.`);
  }
  if (depth > 0) throw notJson();
  return text.length;
}
