/*
 * How fields of requests of Checkmate's clients are read. A query has texts where a body has numbers, booleans and lists, so each reader
 * takes both. Clients of newer versions send null for what is not given.
 */

/** A reader of one value. It returns {@link Mistaken} for a wrong one. */
export interface FieldReader<T> {
  read(value: unknown): T | Mistaken;
}

/** What is wrong with a value, without the value. */
class Mistaken {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type FieldTable = Readonly<Record<string, FieldReader<unknown>>>;

/** What the fields of a request contain. */
export type Read<F extends FieldTable> = {
  readonly [K in keyof F]: F[K] extends FieldReader<infer T> ? T : never;
};

/** The most mistakes that one error names. */
const namedMistakes = 10;

/** Whether a text is JSON that a query contains for a list. */
const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

/** An id: a positive whole number, or its digits. */
export const idReader: FieldReader<number> = {
  read: (value) => {
    const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
    return typeof number === 'number' && Number.isSafeInteger(number) && number > 0
      ? number
      : new Mistaken('must be a whole number above 0');
  },
};

/** Like {@link idReader}; 0 means "none" in Checkmate. */
export const idOrNone: FieldReader<number | null> = {
  read: (value) => (value === 0 || value === '0' ? null : idReader.read(value)),
};

/** The number of rows or pages. */
export const count: FieldReader<number> = idReader;

export const textReader: FieldReader<string> = {
  read: (value) => (typeof value === 'string' ? value : new Mistaken('must be a text')),
};

/** A text that is not blank. */
export const nameReader: FieldReader<string> = {
  read: (value) => (typeof value === 'string' && /\S/.test(value) ? value : new Mistaken('must be a text')),
};

export const flag: FieldReader<boolean> = {
  read: (value) => {
    if (value === true || value === 'true') return true;
    if (value === false || value === 'false') return false;
    return new Mistaken('must be true or false');
  },
};

/** One of some words, whatever the case. */
export const oneOf = <const W extends readonly string[]>(words: W): FieldReader<W[number]> => ({
  read: (value) => {
    const given = typeof value === 'string' ? value.toLowerCase() : undefined;
    return (
      words.find((word) => word.toLowerCase() === given) ?? new Mistaken(`must be one of ${words.join(', ')}`)
    );
  },
});

/** Any value. */
export const anything: FieldReader<unknown> = { read: (value) => value };

/** undefined if it is absent, null, or an empty text of a query. */
export const optionalReader = <T>(field: FieldReader<T>): FieldReader<T | undefined> => ({
  read: (value) => (value === undefined || value === null || value === '' ? undefined : field.read(value)),
});

/** undefined if it is absent, null if it is null: for changes, where null clears. An empty text clears, too. */
export const clearableReader = <T>(field: FieldReader<T>): FieldReader<T | null | undefined> => ({
  read: (value) => {
    if (value === undefined) return undefined;
    return value === null || value === '' ? null : field.read(value);
  },
});

/** A list; in a query its JSON text. @param most the maximum number of items. */
export const list = <T>(field: FieldReader<T>, most = 100_000): FieldReader<readonly T[]> => ({
  read: (value) => {
    const given = typeof value === 'string' ? jsonOf(value) : value;
    if (!Array.isArray(given)) return new Mistaken('must be a list');
    if (given.length > most) return new Mistaken(`must have at most ${most} items`);
    const items: T[] = [];
    for (const [index, one] of (given as readonly unknown[]).entries()) {
      const item = field.read(one);
      if (item instanceof Mistaken) return new Mistaken(`[${index}] ${item.text}`);
      items.push(item);
    }
    return items;
  },
});

/** An object in a list. Its other members are in `others`. */
export const item = <F extends FieldTable>(
  fields: F,
): FieldReader<Read<F> & { readonly others: readonly string[] }> => ({
  read: (value) => {
    const read = readFields(fields, value);
    return 'mistakes' in read
      ? new Mistaken(read.mistakes.map((one) => `.${one}`).join('; '))
      : { ...read.input, others: read.others };
  },
});

/** @returns the values of the fields with the names of other members, or what is wrong. */
export function readFields<F extends FieldTable>(
  fields: F,
  given: unknown,
):
  | { readonly input: Read<F>; readonly others: readonly string[] }
  | { readonly mistakes: readonly string[] } {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return { mistakes: ['the body must be an object'] };
  const members = given as Readonly<Record<string, unknown>>;
  const input: Record<string, unknown> = {};
  const mistakes: string[] = [];
  for (const [key, field] of Object.entries(fields)) {
    const value = Object.hasOwn(members, key) ? members[key] : undefined;
    const read = field.read(value);
    if (!(read instanceof Mistaken)) input[key] = read;
    else mistakes.push(value === undefined ? `${key} is required` : `${key} ${read.text}`);
  }
  if (mistakes.length > 0) return { mistakes: mistakes.slice(0, namedMistakes) };
  const others = Object.keys(members).filter((key) => !Object.hasOwn(fields, key));
  return { input: input as Read<F>, others };
}

type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The members that are not undefined: operations refuse undefined ones. */
export const present = <T extends object>(members: T): Present<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<T>;
