/*
 * Mistakes of people and models who know another query language. Read as search words, these would find nothing, and nobody would know why.
 * So they are refused with a suggestion; in quotes they are ordinary words.
 */

export interface QuerySlip {
  readonly message: string;
  readonly remedy: string;
  /** The replacement, if it is clear. */
  readonly fix?: Fix;
}

/** The text that replaces a part of the query. */
interface Fix {
  readonly text: string;
  /**
   * `word`: the word or value alone; `term`: with its field; `before`: with the preceding term; `after`: with the following word; `around`:
   * with both.
   */
  readonly of: 'word' | 'term' | 'before' | 'after' | 'around';
}

const quoted = (text: string): string => `To search for the text, put it in quotes: "${text}".`;

const and = 'Leave it out: terms side by side mean AND.';
const or = 'Write OR in capitals between two terms, or field:a,b for values of one field.';
const not = 'Write a minus before the term, e.g. -label:smoke.';

/** Words with which other languages join terms, in lower case. */
const joining: Readonly<Record<string, string>> = {
  and: and,
  '&': and,
  '&&': and,
  '+': and,
  or: or,
  '|': or,
  '||': or,
  not: not,
  '!': not,
  '-': not,
  '~': not,
};

const isOrder = /^(?:asc|desc|ascending|descending)$/i;
const comparison = /^(?:[<>]=?|={1,3}|!=|<>|:)$/;
const onlyMarks = /^[!-/:-@[-`{-~]+$/;

/** The term before a word. */
interface TermBefore {
  readonly field: string | null;
  /** The value as written, without an operator. */
  readonly value: string;
}

/** @param rest the text after the word, up to the next space. */
export function slipOf(text: string, before: TermBefore | undefined, rest: string): QuerySlip | undefined {
  const remedy = joining[text.toLowerCase()];
  if (remedy !== undefined) {
    const written = remedy === and ? '' : remedy === or ? 'OR' : rest === '' ? undefined : `-${rest}`;
    const fix =
      written === undefined
        ? {}
        : { fix: { text: written, of: remedy === not ? ('after' as const) : ('word' as const) } };
    return { message: `"${text}" joins no terms here.`, remedy: `${remedy} ${quoted(text)}`, ...fix };
  }
  if (before?.field === 'sort' && isOrder.test(text)) {
    const direction = text.toLowerCase().startsWith('d') ? '-desc' : '-asc';
    return {
      message: `"${text}" stands apart from its sort.`,
      remedy: `Write sort:${before.value}${direction}.`,
      fix: { text: `sort:${before.value}${direction}`, of: 'before' },
    };
  }
  if (comparison.test(text)) {
    // `failed > 2` or a path: `section:Checkout > Payment`.
    const isPath = text === '>' && before !== undefined && before.field !== null;
    const value = rest === '' ? 'value' : rest;
    const written = isPath
      ? `${before.field}:"${before.value} > ${value}"`
      : /^(?:!=|<>)$/.test(text)
        ? `-${before?.value ?? 'field'}:${value}`
        : `${before?.value ?? 'field'}:${/^[=:]/.test(text) ? '' : text}${value}`;
    return {
      message: `"${text}" stands alone.`,
      remedy: isPath
        ? `Put a value with spaces in quotes: ${written}.`
        : `Write the field, a colon and the value without spaces: ${written}.`,
      ...(before === undefined || rest === '' ? {} : { fix: { text: written, of: 'around' as const } }),
    };
  }
  const [, sign, value] = /^([<>]=?)([^<>=][^]*)$/.exec(text) ?? [];
  if (sign !== undefined && value !== undefined) {
    const field = before?.field ?? 'field';
    const from = before?.field && before.value !== '' ? before.value : 'from';
    return {
      message: `"${text}" names no field.`,
      remedy: `Write ${field}:${text}; for both ends of a range ${field}:${from}..${value}.`,
      ...(before?.field ? { fix: { text: `${field}:${text}`, of: 'word' as const } } : {}),
    };
  }
  if (text.startsWith('!') && text.length > 1)
    return {
      message: `"!" negates nothing here.`,
      remedy: `Write a minus: -${text.slice(1)}. ${quoted(text)}`,
      fix: { text: `-${text.slice(1)}`, of: 'word' },
    };
  const or2 = /^([^|]+)\|{1,2}([^|]+)$/.exec(text);
  if (or2)
    return {
      message: `"|" joins no terms here.`,
      remedy: `Write ${or2[1]} OR ${or2[2]}. ${quoted(text)}`,
      fix: { text: `${or2[1]} OR ${or2[2]}`, of: 'word' },
    };
  if (text.includes('&&'))
    return {
      message: `"&&" joins no terms here.`,
      remedy: `Write a space instead. ${quoted(text)}`,
      fix: { text: text.replaceAll('&&', ' '), of: 'word' },
    };
  if (text.length > 1 && (text.startsWith('*') || text.endsWith('*')) && !onlyMarks.test(text))
    return {
      message: `"*" stands for nothing here.`,
      remedy: `Words are found anywhere in a text: write ${text.replaceAll('*', '')}. ${quoted(text)}`,
      fix: { text: text.replaceAll('*', ''), of: 'word' },
    };
  if (onlyMarks.test(text))
    return {
      message: `"${text}" is no word.`,
      remedy: `Leave it out; a query without terms chooses everything. ${quoted(text)}`,
      fix: { text: '', of: 'word' },
    };
  return undefined;
}

/** A value that would be more than a value in another language. */
export function slipOfValue(field: string, text: string): QuerySlip | undefined {
  if (text.startsWith('!') && text.length > 1)
    return {
      message: `"!" negates nothing here.`,
      remedy: `Write a minus before the field: -${field}:${text.replace(/^!=?/, '')}.`,
      fix: { text: `-${field}:${text.replace(/^!=?/, '')}`, of: 'term' },
    };
  if (text.length > 2 && text.startsWith("'") && text.endsWith("'"))
    return {
      message: 'Single quotes are part of the value.',
      remedy: `Write ${field}:"${text.slice(1, -1)}".`,
      fix: { text: `"${text.slice(1, -1)}"`, of: 'word' },
    };
  if (/;[A-Za-z-]+:/.test(text))
    return {
      message: '";" joins no terms here.',
      remedy: `Write a space instead, or ${field}:"${text}" for that text.`,
      fix: { text: text.replaceAll(';', ' '), of: 'word' },
    };
  if (text.includes('|'))
    return {
      message: `"|" joins no values here.`,
      remedy: `Write ${field}:${text.split(/\|+/).filter(Boolean).join(',')}, or ${field}:"${text}" for that text.`,
      fix: { text: text.split(/\|+/).filter(Boolean).join(','), of: 'word' },
    };
  if (text.includes('&&'))
    return {
      message: `"&&" joins no terms here.`,
      remedy: `Write a space instead, or ${field}:"${text}" for that text.`,
      fix: { text: text.replaceAll('&&', ' '), of: 'word' },
    };
  if (text === '*')
    return {
      message: `"*" stands for nothing here.`,
      remedy: `Leave the term out; -${field}:none is what has any value, where the field may be empty.`,
      fix: { text: '', of: 'term' },
    };
  if (text.startsWith('*') || text.endsWith('*'))
    return {
      message: `"*" stands for nothing here.`,
      remedy: `Write field:value as it is listed, or for a part of a name name:${text.replaceAll('*', '')}; ${field}:"${text}" for that text.`,
      fix: { text: text.replaceAll('*', ''), of: 'word' },
    };
  return undefined;
}

const fieldInWord = /^[+~@#!*-]*([A-Za-z][A-Za-z-]{0,39})\s*(==?=?|!=|[<>]=?|=~|~|:)([^]*)$/;

/**
 * A word that names a field in the syntax of another language: `priority=High`, `+label:smoke`.
 * @param known the name of the field that people mean by it; undefined if there is none.
 */
export function slipOfField(
  text: string,
  known: (name: string) => string | undefined,
): QuerySlip | undefined {
  const [, name = '', operator = '', value = ''] = fieldInWord.exec(text) ?? [];
  const field = name === '' ? undefined : known(name.toLowerCase());
  if (field === undefined || value === '') return undefined;
  const minus = operator === '!=' ? '-' : '';
  const sign = /^[<>]/.test(operator) ? operator : '';
  const written = `${minus}${field}:${sign}${/[\s,()]/.test(value) ? `"${value}"` : value}`;
  return {
    message: `"${text}" is no condition.`,
    remedy: `Write ${written}. ${quoted(text)}`,
    fix: { text: written, of: 'word' },
  };
}
