/*
 * Compares what two servers answered to the same calls. Their ids differ: PostgreSQL leaves out a number after a write that was rolled
 * back. So an id of the first is paired with the one that stands in the same place of the second when it was made.
 */
export interface Comparison {
  /**
   * The places where two answers differ.
   * @param makes whether the call makes records: then their ids are new, also where a call before named them in vain.
   */
  differences(first: unknown, second: unknown, makes: boolean): readonly string[];
  /** The arguments of the first server, with the ids of the second. */
  translated(input: unknown): unknown;
  /** Arguments in which no id is one that no answer had: such an id is made one that nobody has. */
  withoutUnknown(input: unknown): unknown;
}

type Scalar = string | number | boolean | null | undefined;

const isId = (name: string): boolean =>
  /Ids?$|^ids?$|^by$|^labels$|^reviewers$|^after$|^nextAfter$/.test(name);

const kinds: Readonly<Record<string, string>> = {
  labels: 'labelid',
  reviewers: 'userid',
  by: 'userid',
  ownerId: 'userid',
  after: 'testid',
  nextAfter: 'testid',
};

/** `fromSectionId`, `sectionIds` and `sectionId` name the same records; `labels` contains ids in arguments. */
const kindOf = (name: string): string =>
  kinds[name] ??
  name
    .replace(/s$/, '')
    .replace(/^(?:parent|from|into|to|against|merged)(?=[A-Z])/, '')
    .toLowerCase();

/** A change says which field it is of: `{field: 'sectionId', from: 1, to: 2}`. */
const meantBy = ({ field }: Readonly<Record<string, unknown>>, name: string): string =>
  (name === 'from' || name === 'to') && typeof field === 'string' ? field : name;

/** Drawn at random: every answer has another one. */
const isRandom = (name: string): boolean => /token|secret|cursor|hash|etag|base64|^url$/i.test(name);

/** More than any id that a test reaches. */
const noId = 1_000_000_000;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A text that names records by their ids. */
const namesIds = (name: string, value: Scalar): boolean =>
  /^(?:message|content|text)$/.test(name) || (name === 'name' && /-of-run-/.test(String(value)));

const withoutNumbers = (value: Scalar): Scalar =>
  typeof value === 'string' ? value.replaceAll(/\d+/g, '#') : value;

export function answerComparison(): Comparison {
  const pairs = new Map<string, Map<Scalar, Scalar>>();

  function paired(name: string, first: Scalar, second: Scalar, makes: boolean): boolean {
    const kind = kindOf(name);
    const known = pairs.get(kind) ?? new Map<Scalar, Scalar>();
    pairs.set(kind, known);
    const expected = known.get(first);
    if (expected === undefined || makes) known.set(first, second);
    return expected === undefined || expected === second || makes;
  }

  function* compared(first: unknown, second: unknown, at: Place): Generator<string> {
    if (Array.isArray(first) && Array.isArray(second)) {
      if (first.length !== second.length) yield `${at.path}: ${first.length} items ~ ${second.length}`;
      for (const [nth, item] of first.slice(0, second.length).entries())
        yield* compared(item, second[nth], { ...at, path: `${at.path}[${nth}]` });
    } else if (isRecord(first) && isRecord(second)) {
      const [names, others] = [Object.keys(first), Object.keys(second)];
      // Their order, too: people and agents read it.
      if (names.join() !== others.join()) yield `${at.path}: ${names.join()} ~ ${others.join()}`;
      for (const name of names.filter((key) => Object.hasOwn(second, key)))
        yield* compared(first[name], second[name], {
          ...at,
          name: meantBy(first, name),
          path: `${at.path}.${name}`,
        });
    } else if (!isSame(first as Scalar, second as Scalar, at))
      yield `${at.path}: ${JSON.stringify(first)} ~ ${JSON.stringify(second)}`;
  }

  function isSame(first: Scalar, second: Scalar, { name, makes }: Place): boolean {
    if (typeof first !== typeof second) return false;
    if (isId(name) && first !== null && second !== null) return paired(name, first, second, makes);
    if (namesIds(name, first)) return withoutNumbers(first) === withoutNumbers(second);
    return isRandom(name) || Object.is(first, second);
  }

  const pairOf = (name: string, value: unknown): Scalar => pairs.get(kindOf(name))?.get(value as Scalar);

  return {
    differences: (first, second, makes) => [...compared(first, second, { name: '', path: '', makes })],
    translated: (input) => withIds(input, (name, id) => pairOf(name, id) ?? id),
    // An id that no answer had may be somebody's on the server whose ids are ahead.
    withoutUnknown: (input) =>
      withIds(input, (name, id) =>
        typeof id !== 'number' || id <= 0 || id >= noId || pairOf(name, id) !== undefined ? id : id + noId,
      ),
  };
}

/** The value with each of its scalars changed. @param name the member that contains it. */
export function withScalars(
  value: unknown,
  change: (name: string, scalar: unknown) => unknown,
  name = '',
): unknown {
  if (Array.isArray(value)) return value.map((item) => withScalars(item, change, name));
  if (isRecord(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, withScalars(member, change, key)]),
    );
  return change(name, value);
}

const withIds = (input: unknown, idOf: (name: string, id: unknown) => unknown): unknown =>
  withScalars(input, (name, scalar) => (isId(name) ? idOf(name, scalar) : scalar));

interface Place {
  /** The member that contains the value, e.g. `testId`. */
  readonly name: string;
  readonly path: string;
  readonly makes: boolean;
}
