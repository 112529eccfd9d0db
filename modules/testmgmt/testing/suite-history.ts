/*
 * The history of a suite as a person tells it: the name of each test in each build. Each build is a list of edits:
 *
 *     + cart > adds an item           a new test
 *     - cart > adds an item           the test is removed
 *     ~ cart > adds an item           the test that last had this name returns
 *     cart > adds -> cart > puts      the same test under another name, in another place or with other parameters
 *     ! cart > adds -> cart > puts    the same, but it cannot be recognized: one test ends, another begins
 */

/** A test as a person sees it. */
interface ToldTest {
  /** Its name in each build in which it ran, by the number of the build from 1. */
  readonly names: Map<number, string>;
}

export interface ToldBuild {
  readonly title: string;
  /** The keys that the build reports. */
  readonly keys: readonly string[];
  /** The number of tests that appear for the first time. */
  readonly added: number;
  /** New names of tests, as `from -> to`. */
  readonly renamed: readonly string[];
}

export interface ToldHistory {
  readonly builds: readonly ToldBuild[];
  readonly tests: readonly ToldTest[];
}

/** @throws when an edit names a missing test, or adds an existing one: the table is wrong. */
export function toldHistory(table: ReadonlyArray<readonly [title: string, ...edits: string[]]>): ToldHistory {
  const tests: ToldTest[] = [];
  const live = new Map<string, ToldTest>();
  const lastCalled = new Map<string, ToldTest>();
  const builds = table.map(([title, ...edits], index): ToldBuild => {
    const wrong = (edit: string) => new Error(`build ${index + 1}: ${edit}`);
    const taken: Array<readonly [string, ToldTest]> = [];
    const renamed: string[] = [];
    let added = 0;
    const begin = (key: string) => {
      const test: ToldTest = { names: new Map() };
      tests.push(test);
      taken.push([key, test]);
      added++;
    };
    const end = (key: string, edit: string) => {
      const test = live.get(key);
      if (!test) throw wrong(edit);
      live.delete(key);
      return test;
    };
    for (const edit of edits) {
      const [, mark = '', from = '', to] = /^([-+~!] )?(.+?)(?: -> (.+))?$/.exec(edit) ?? [];
      if (mark === '+ ') begin(from);
      else if (mark === '- ') end(from, edit);
      else if (mark === '~ ') {
        const test = lastCalled.get(from);
        if (!test || live.has(from)) throw wrong(edit);
        taken.push([from, test]);
      } else if (to === undefined) throw wrong(edit);
      else if (mark === '! ') {
        end(from, edit);
        begin(to);
      } else {
        const test = end(from, edit);
        taken.push([to, test]);
        // A test is also found by its earlier names.
        if (![...test.names.values()].includes(to)) renamed.push(`${from} -> ${to}`);
      }
    }
    // Done after the edits, because two tests may swap their names.
    for (const [key, test] of taken) {
      if (live.has(key)) throw wrong(key);
      live.set(key, test);
    }
    for (const [key, test] of live) {
      test.names.set(index + 1, key);
      lastCalled.set(key, test);
    }
    return { title, keys: [...live.keys()], added, renamed };
  });
  return { builds, tests };
}

/** Names with the builds in which a test had them, e.g. `1-3 cart > adds`, as short as a person would write it. */
export function spans(names: Iterable<readonly [build: number, name: string]>): readonly string[] {
  const told: Array<{ name: string; first: number; last: number }> = [];
  for (const [build, name] of [...names].toSorted(([a], [b]) => a - b)) {
    const open = told.at(-1);
    if (open && open.name === name && open.last === build - 1) open.last = build;
    else told.push({ name, first: build, last: build });
  }
  return told.map(({ name, first, last }) => `${first}-${last} ${name}`);
}
