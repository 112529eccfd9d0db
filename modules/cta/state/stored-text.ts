import { weightOf, type Weight } from './json-weight.ts';
import { stringMap } from './string-map.ts';
import {
  emptyCtaState,
  emptyTagState,
  isTombstone,
  type CtaState,
  type TagState,
  type UserState,
} from './user-state.ts';

/** Longer texts are read in steps: parsing costs up to 0.25 ms per KiB, and states of earlier versions have up to 4 MiB. */
export const maxParsedAtOnce = 128 * 1024;

/** Members are parsed one by one; a longer member is dropped unread. Contexts had at most 64 KiB. */
const maxMemberLength = 96 * 1024;

/** Characters scanned between two yields: about a millisecond. */
const step = 64 * 1024;

type Others = Omit<UserState, 'ctas' | 'tags'>;

/** The parts that are read whole. A part of a state that neither is here nor is read member by member would be lost: it does not compile. */
const otherParts: Readonly<Record<keyof Others, true>> = {
  version: true,
  lastDrop: true,
  shownAs: true,
  endedActions: true,
};

/**
 * Reads the text of a {@link UserState} that may be far over its budget. Yields; a step takes a few milliseconds. Machines over the budget
 * are dropped while reading (tombstones first, then the oldest), so that the memory in use never exceeds the budget.
 */
export function* readStoredState(
  text: string,
  budget: Weight,
): Generator<void, { readonly state: UserState; readonly dropped: number }> {
  const reader = new Reader(text);
  const ctas = stringMap<CtaState>();
  const tags = stringMap<TagState>();
  const found: Found[] = [];
  let others: Others = { version: 1 };
  let dropped = 0;
  const small = function* <T>(otherwise: T): Generator<void, T> {
    const from = reader.at;
    yield* reader.skip();
    if (reader.at - from <= maxMemberLength) return JSON.parse(text.slice(from, reader.at)) as T;
    dropped++;
    return otherwise;
  };
  yield* reader.members(function* (part) {
    if (part === 'ctas') {
      yield* reader.members(function* (ctaId) {
        let { resetAt, actionDoneAt } = emptyCtaState;
        yield* reader.members(function* (field) {
          if (field === 'resetAt') resetAt = yield* small(resetAt);
          else if (field === 'actionDoneAt') actionDoneAt = yield* small(actionDoneAt);
          else if (field === 'machines') {
            yield* reader.members(function* (key) {
              const from = reader.at;
              const machine = yield* small<CtaState['machines'][string] | null>(null);
              if (machine === null) return;
              const weight = weightOf(machine, budget);
              if (weight === null) dropped++;
              else {
                const age = { removed: isTombstone(machine), at: machine.lastTransitionAt };
                found.push({ ctaId, key, from, to: reader.at, weight, ...age });
              }
            });
          } else yield* reader.skip();
        });
        ctas[ctaId] = { machines: stringMap(), resetAt, actionDoneAt };
      });
    } else if (part === 'tags') {
      yield* reader.members(function* (name) {
        tags[name] = yield* small(emptyTagState);
      });
    } else if (Object.hasOwn(otherParts, part)) {
      const read = yield* small<unknown>(undefined);
      if (read !== undefined) others = { ...others, [part]: read };
    } else yield* reader.skip();
  });

  found.sort((left, right) => Number(left.removed) - Number(right.removed) || right.at - left.at);
  const left = { ...budget };
  for (const { ctaId, key, from, to, weight } of found) {
    if (weight.bytes > left.bytes || weight.values > left.values) {
      dropped++;
      continue;
    }
    left.bytes -= weight.bytes;
    left.values -= weight.values;
    const machines = ctas[ctaId]?.machines as Record<string, CtaState['machines'][string]>;
    machines[key] = JSON.parse(text.slice(from, to)) as CtaState['machines'][string];
    yield;
  }
  return { state: { ...others, ctas, tags }, dropped };
}

interface Found {
  readonly ctaId: string;
  readonly key: string;
  readonly from: number;
  readonly to: number;
  readonly weight: Weight;
  readonly removed: boolean;
  readonly at: number;
}

const quote = 34;
const backslash = 92;
const open = new Set([...'{['].map((char) => char.charCodeAt(0)));
const close = new Set([...'}]'].map((char) => char.charCodeAt(0)));

/** Walks over JSON written by `JSON.stringify`: well formed, without spaces. */
class Reader {
  at = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Calls `read` for each member of the object at this position; `read` must advance past the value. */
  *members(read: (key: string) => Generator<void, void>): Generator<void, void> {
    this.at++;
    while (this.text[this.at] !== '}') {
      if (this.text[this.at] === ',') this.at++;
      const from = this.at;
      this.skipText();
      const key = JSON.parse(this.text.slice(from, this.at)) as string;
      this.at++;
      yield* read(key);
      yield;
    }
    this.at++;
  }

  /** Advances past the value at this position. */
  *skip(): Generator<void, void> {
    let depth = 0;
    let nextYield = this.at + step;
    for (;;) {
      const char = this.text.charCodeAt(this.at);
      if (char === quote) this.skipText();
      else if (open.has(char)) {
        depth++;
        this.at++;
      } else if (close.has(char)) {
        depth--;
        this.at++;
      } else this.skipPlain();
      if (depth === 0) return;
      if (this.at > nextYield) {
        nextYield = this.at + step;
        yield;
      }
    }
  }

  private skipText(): void {
    let end = this.at;
    do end = this.text.indexOf('"', end + 1);
    while (end > 0 && this.isEscaped(end));
    if (end < 0) throw new Error('The stored state of a user is no JSON.');
    this.at = end + 1;
  }

  private isEscaped(place: number): boolean {
    let before = place - 1;
    while (this.text.charCodeAt(before) === backslash) before--;
    return (place - before) % 2 === 0;
  }

  /** Advances past a number or a word, or the separator between members. */
  private skipPlain(): void {
    const from = this.at;
    while (this.at < this.text.length && plain.has(this.text.charCodeAt(this.at))) this.at++;
    if (this.at === from) {
      if (this.at >= this.text.length) throw new Error('The stored state of a user is no JSON.');
      this.at++;
    }
  }
}

const plain = new Set([...'0123456789.eE+-truefalsn'].map((char) => char.charCodeAt(0)));
