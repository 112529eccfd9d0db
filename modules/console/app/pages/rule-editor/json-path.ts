/** An object of JSON. */
export type Json = Readonly<Record<string, unknown>>;

/** The path of a value in a document: names in objects, indexes in lists. */
export type Path = ReadonlyArray<string | number>;

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const objectOf = (value: unknown): Json => (isJson(value) ? value : {});
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const textsOf = (value: unknown): readonly string[] => listOf(value).map(String);

/** As the server names it: `rule.actions[0].type`. */
export const pathText = (path: Path): string =>
  path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`),
    '',
  );

const childOf = (value: unknown, part: string | number): unknown =>
  typeof part === 'number'
    ? listOf(value)[part]
    : isJson(value) && Object.hasOwn(value, part)
      ? value[part]
      : undefined;

export const valueAt = (value: unknown, path: Path): unknown => path.reduce(childOf, value);

/** The value with another one at the path; missing parents are created. */
export function withValue(value: unknown, path: Path, to: unknown): unknown {
  const [part, ...rest] = path;
  if (part === undefined) return to;
  const inner = withValue(childOf(value, part), rest, to);
  if (typeof part === 'number') return listOf(value).toSpliced(part, 1, inner);
  return { ...objectOf(value), [part]: inner };
}

/** The first parts of a document that stay when they become empty: `rule.actions`. */
const kept = 2;

/** The value without the member at the path, and without parents that become empty. */
export function without(value: unknown, path: Path): unknown {
  const parent = path.slice(0, -1);
  const part = path.at(-1);
  if (part === undefined || valueAt(value, path) === undefined) return value;
  const holder = valueAt(value, parent);
  const rest = Array.isArray(holder)
    ? (holder as unknown[]).toSpliced(Number(part), 1)
    : Object.fromEntries(Object.entries(objectOf(holder)).filter(([name]) => name !== part));
  const isEmpty = !Array.isArray(rest) && Object.keys(rest).length === 0;
  return isEmpty && parent.length > kept ? without(value, parent) : withValue(value, parent, rest);
}
