/* The parameters of a case, separated from its name. Each form is used by certain tools; a name in no such form is unchanged. */

export interface NameParts {
  readonly name: string;
  readonly parameters?: string;
}

/** pytest: `test_add[1-2]`. The name of a function has no bracket. */
export function bracketed(name: string): NameParts {
  const found = /^([^[]+)\[([^]*)\]$/.exec(name);
  return found ? { name: found[1] ?? '', parameters: found[2] ?? '' } : { name };
}

/** JUnit on Surefire and Gradle: `adds(int, int)[1]`, `adds{int}[1]`, `adds[1]`, `adds[1: a]`, and `adds()` without parameters. */
export function javaInvocation(name: string): NameParts {
  const found = /^([\p{L}_$][\p{L}\d_$]*)(\([^()]*\)|\{[^{}]*\})?(?:\[([^]*)\])?$/u.exec(name);
  if (!found) return { name };
  const [, method = '', types, index] = found;
  if (index === undefined) return types === '()' ? { name: method } : { name };
  return { name: method, parameters: types === undefined || types === '()' ? index : `${types}[${index}]` };
}

/** NUnit, MSTest and xUnit.net: `Adds(1,2)`, `Adds(a: 1, b: 2)`. */
export function inParentheses(name: string): NameParts {
  const open = name.indexOf('(');
  if (open <= 0 || !name.endsWith(')')) return { name };
  const parameters = name.slice(open + 1, -1);
  return { name: name.slice(0, open).trimEnd(), ...(parameters !== '' && { parameters }) };
}

/** PHPUnit: `testAdd with data set "one"`, `testAdd with data set #0`. */
export function dataSet(name: string): NameParts {
  const words = ' with data set ';
  const at = name.indexOf(words);
  if (at <= 0) return { name };
  const set = name.slice(at + words.length);
  const isQuoted = set.length > 1 && set.startsWith('"') && set.endsWith('"');
  return { name: name.slice(0, at), parameters: isQuoted ? set.slice(1, -1) : set };
}

/** GoogleTest: `IsPositive/0`. */
export function afterSlash(name: string): NameParts {
  const slash = name.lastIndexOf('/');
  return slash < 0 ? { name } : { name: name.slice(0, slash), parameters: name.slice(slash + 1) };
}
