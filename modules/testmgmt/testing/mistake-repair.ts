/*
 * A program that repairs a call by nothing but the text of its error, like an agent without intelligence. It knows the arguments that were
 * sent, and a few values from the conversation.
 */

export interface Call {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Runs a call. @returns its data, or the text of its error. */
export type Ask = (call: Call) => Promise<{ readonly data?: unknown; readonly error?: string }>;

/** Values from the conversation, by parameter name. */
export type Known = Readonly<Record<string, unknown>>;

type Value = unknown;
type Json = Record<string, Value>;
type Rule = readonly [RegExp, (repair: Repair, match: RegExpExecArray) => void | Promise<void>];

/** The arguments under repair. */
class Repair {
  tool: string;
  args: Json;
  readonly ask: Ask;
  readonly known: Known;

  constructor(call: Call, ask: Ask, known: Known) {
    this.tool = call.tool;
    this.args = structuredClone(call.args) as Json;
    this.ask = ask;
    this.known = known;
  }

  /** The object or list that contains the last step of a path, e.g. of `tests[0].priorityId`. */
  private holder(path: string): readonly [Json, string] {
    const steps = path.split(/[.[\]]+/).filter(Boolean);
    const last = steps.pop() ?? '';
    return [steps.reduce<Json>((at, step) => at[step] as Json, this.args), last];
  }
  get(path: string): Value {
    const [at, step] = this.holder(path);
    return at[step];
  }
  set(path: string, value: Value): void {
    const [at, step] = this.holder(path);
    at[step] = value;
  }
  remove(path: string): void {
    const [at, step] = this.holder(path);
    if (Array.isArray(at)) at.splice(Number(step), 1);
    else delete at[step];
  }
  rename(path: string, name: string): void {
    const [at, step] = this.holder(path);
    at[name] = at[step];
    delete at[step];
  }
  /** The id of the first record that a listing tool returns. */
  async firstOf(tool: string): Promise<number> {
    const { data } = await this.ask({ tool, args: this.argsFor(tool) });
    const rows = Object.values(data as Json).find(Array.isArray) as Json[] | undefined;
    return Number(Object.values(rows?.[0] ?? {})[0]);
  }
  private argsFor(tool: string): Json {
    if (tool === 'get-orgs-list' || tool === 'get-all-users') return {};
    if (tool === 'get-projects') return { orgId: 1 };
    const { projectId, runId } = { ...this.known, ...this.args };
    return tool === 'get-run-tests-list' ? { projectId, runId } : { projectId };
  }
  editQuery(edit: (query: string) => string): void {
    this.args['query'] = edit(String(this.args['query']));
  }
}

/** A value for a shape as errors write it, `{testId: integer, status: passed|failed, comment?: string}`: only required members. */
function valueOf(shape: string, given: Value, known: Known): Value {
  if (!shape.startsWith('{')) return given;
  const flat = shape.replaceAll(/\[[^\]]*\]/g, 'list');
  const members = [...flat.matchAll(/(\w+): (\w+)/g)].map(([, name = '', type]) => [name, type] as const);
  return Object.fromEntries(
    members
      .filter(([name]) => !shape.includes(`${name}?:`))
      .map(([name, type]) => [name, type === 'string' && typeof given === 'string' ? given : known[name]]),
  );
}

const shapeIn = (text: string, list: string) =>
  new RegExp(`Each item of ${list} is (.*?)\\.(?: |$)`).exec(text)?.[1] ?? '';

const rules: readonly Rule[] = [
  // A suggested name, with its id.
  [/(\S+) takes an id, not a name: "[^"]*" is (\d+)/g, (r, [, path = '', id]) => r.set(path, Number(id))],
  [
    /(\S+) takes an id; did you mean "[^"]*", which is (\d+)\?/g,
    (r, [, path = '', id]) => r.set(path, Number(id)),
  ],
  [/(\S+) is a number: write (\d+) without quotes/g, (r, [, path = '', id]) => r.set(path, Number(id))],
  [
    /(\S+) takes an id: use (\S+) to see them/g,
    async (r, [, path = '', tool = '']) => r.set(path, await r.firstOf(tool)),
  ],
  // Parameters.
  [
    /(\S+) is not a parameter \(did you mean (\w+)\?\)/g,
    (r, [, path = '', name = '']) => r.rename(path, name),
  ],
  [/(\S+) is not a parameter \(known/g, (r, [, path = '']) => r.remove(path)],
  [
    /(\S+) is required/g,
    (r, [, path = '']) => {
      if (r.get(path) === undefined) r.set(path, r.known[path.replace(/.*\./, '')]);
    },
  ],
  [/at least one of (\w+)/g, (r, [, name = '']) => r.set(name, r.known[name])],
  [/^💡 Tip: Give \S+ a (\w+)/gm, (r, [, name = '']) => r.set(name, r.known[name])],
  // Values.
  [
    /(\S+) must be one of (\S+?)[,.;] .*?(?:\(did you mean (.+?)\?\)|[.;]|$)/g,
    (r, [, path = '', first, meant]) => r.set(path, meant ?? first),
  ],
  [/(\S+) must be at most (\d+)/g, (r, [, path = '', most]) => r.set(path, Number(most))],
  [/(\S+) must be at least (\d+)/g, (r, [, path = '', least]) => r.set(path, Number(least))],
  [
    /(\S+) must have at most (\d+) characters/g,
    (r, [, path = '', most]) => r.set(path, String(r.get(path)).slice(0, Number(most))),
  ],
  [/(\S+) must have at least 1 item/g, (r, [, path = '']) => r.set(path, r.known[path])],
  [/(\S+) must not be (?:empty|blank)/g, (r, [, path = '']) => r.set(path, r.known[path])],
  [
    /(\S+) must be a boolean/g,
    (r, [, path = '']) => r.set(path, /^(?:yes|true|1)$/.test(String(r.get(path)))),
  ],
  [/(\S+) must be a string/g, (r, [, path = '']) => r.set(path, String(r.get(path)))],
  [
    /(\S+) must be a whole number/g,
    (r, [, path = '']) => {
      const number = Number(r.get(path));
      if (Number.isFinite(number)) r.set(path, Math.round(number));
    },
  ],
  // Missing records.
  [
    /There is no (project|test|run) \d+[^]*?Use (get-\S+)/g,
    async (r, [, kind, tool = '']) => r.set(`${kind}Id`, await r.firstOf(tool)),
  ],
  [
    /(Test|Run) \d+ is of project \d+, not of[^]*?(get-\w+)/g,
    async (r, [, kind = '', tool = '']) => r.set(`${kind.toLowerCase()}Id`, await r.firstOf(tool)),
  ],
  [
    /: (\w+(?:\[\d+\])?) is not of project \d+[^]*?Use (get-\S+) to/g,
    async (r, [, path = '', tool = '']) => r.set(path, await r.firstOf(tool)),
  ],
  [/(\w+Ids\[\d+\]) is \d+/g, (r, [, path = '']) => r.remove(path)],
  [
    /Not in run \d+: (\S+) is \d+[^]*?Use (\S+) to see/g,
    async (r, [, path = '', tool = '']) => r.set(path, await r.firstOf(tool)),
  ],
  [
    /Test (\d+) is deleted[^]*?Use (restore-test)/g,
    async (r, [, testId, tool = '']) => {
      await r.ask({ tool, args: { projectId: r.known['projectId'], testId: Number(testId) } });
    },
  ],
  [
    /Run (\d+) is locked[^]*?(unlock-run)/g,
    async (r, [, runId, tool = '']) => {
      await r.ask({ tool, args: { projectId: r.known['projectId'], runId: Number(runId) } });
    },
  ],
  // Tools.
  [/There is no tool "[^"]*" here\. Did you mean "(\S+)"\?/g, (r, [, tool = '']) => void (r.tool = tool)],
  [/There is no tool "[^"]*" here\. Tools about \w+: ([\w-]+)/g, (r, [, tool = '']) => void (r.tool = tool)],
  // Queries.
  [
    /bounds what failed[^]*? or (last-run:\S+) for when/g,
    (r, [, term = '']) => r.editQuery((q) => q.replace(/since:\S+/, term)),
  ],
  [
    /There is no field "([^"]*)" here\. Did you mean "([^"]*)"\?/g,
    (r, [, wrong = '', meant = '']) => r.editQuery((q) => q.replace(wrong, meant)),
  ],
  [
    /has no value "([^"]*)"\. Did you mean "([^"]*)"\?/g,
    (r, [, wrong = '', meant = '']) => r.editQuery((q) => q.replace(wrong, meant)),
  ],
  [
    /has no value "([^"]*)"\.\n\n💡 Tip: Values: (\w+)/g,
    (r, [, wrong = '', first = '']) => r.editQuery((q) => q.replace(wrong, first)),
  ],
  [
    /"([^"]*)" is nothing to sort by\. Did you mean "([^"]*)"\?/g,
    (r, [, wrong = '', meant = '']) => r.editQuery((q) => q.replace(wrong, meant)),
  ],
  [
    /has no (\S+) "([^"]*)"\. Did you mean (\S+)\?/g,
    (r, [, field = '', wrong = '', meant = '']) => r.editQuery((q) => q.replace(`${field}:${wrong}`, meant)),
  ],
  [
    /is never closed\.\n\n💡 Tip: Add the (?:closing |")(.)/g,
    (r, [, missing = '']) => r.editQuery((q) => q + missing),
  ],
  [
    /at character (\d+): This "\)" has no/g,
    (r, [, at]) => r.editQuery((q) => q.slice(0, Number(at) - 1) + q.slice(Number(at))),
  ],
  [/has no value here[^]*?e\.g\. (\w+:\w+)/g, (r, [, example = '']) => r.editQuery(() => example)],
  [/takes a time, not[^]*?: (\S+)\.$/gm, (r, [, example = '']) => r.editQuery(() => example)],
  [
    /takes a whole number, not[^]*?Write e\.g\. (\S+)\.$/gm,
    (r, [, example = '']) => r.editQuery(() => example),
  ],
  [/has no order[^]*?Write e\.g\. (\S+)\.$/gm, (r, [, example = '']) => r.editQuery(() => example)],
  [
    /at character (\d+): "OR" has nothing after it/g,
    (r, [, at]) => r.editQuery((q) => q.slice(0, Number(at) - 1)),
  ],
  [
    /takes the id of a run, not "([^"]*)"[^]*?(get-runs)/g,
    async (r, [, wrong = '', tool = '']) => {
      const id = await r.firstOf(tool);
      r.editQuery((q) => q.replace(wrong, String(id)));
    },
  ],
];

/** Reshapes lists and items to the shape given in the error. */
function reshape(r: Repair, text: string): void {
  for (const [, path = ''] of text.matchAll(/(\S+) must be an array/g)) {
    const given = r.get(path);
    const read = typeof given === 'string' && given.startsWith('[') ? (JSON.parse(given) as Value) : [given];
    const shape = shapeIn(text, path);
    r.set(
      path,
      (read as Value[]).map((item) => (typeof item === 'object' ? item : valueOf(shape, item, r.known))),
    );
  }
  for (const [, path = '', list = ''] of text.matchAll(/((\w+)\[\d+\]) must be an object/g))
    r.set(path, valueOf(shapeIn(text, list), r.get(path), r.known));
}

/** The query that an error suggests. */
const meantQuery = /The whole query then: (.+)$/m;

/** The call, corrected as the text of its error suggests. */
export async function repaired(call: Call, error: string, ask: Ask, known: Known): Promise<Call> {
  const repair = new Repair(call, ask, known);
  reshape(repair, error);
  const meant = meantQuery.exec(error)?.[1];
  if (meant !== undefined) {
    repair.args['query'] = meant === '(none)' ? '' : meant;
    return { tool: repair.tool, args: repair.args };
  }
  for (const [pattern, apply] of rules)
    for (const match of error.matchAll(pattern)) await apply(repair, match as RegExpExecArray);
  return { tool: repair.tool, args: repair.args };
}
