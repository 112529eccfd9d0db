/*
 * Determines where a case of JUnit XML belongs. Tools put this into the surrounding suites, the classname, the name, or several of these.
 */

export interface SuiteElement {
  readonly element: 'testsuites' | 'testsuite';
  readonly attributes: Readonly<Record<string, string>>;
}

export interface CaseElement {
  /** The suites around it, outermost first. */
  readonly suites: readonly SuiteElement[];
  readonly name: string;
  readonly classname: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** The identity of a case, and the location of its source. */
export interface CasePlace {
  readonly suites: readonly string[];
  readonly name: string;
  readonly parameters?: string;
  readonly variant?: string;
  readonly file?: string;
  readonly line?: number;
}

/** The names of the suites except that of `<testsuites>`, which names the run. */
export const suiteNames = ({ suites }: CaseElement): readonly string[] =>
  suites.flatMap(({ element, attributes }) => (element === 'testsuite' ? (attributes['name'] ?? '') : []));

const separators = [' > ', ' › ', '::', '.', '/', '\\', ' ', '$', '+', ':'];

/** The part of `text` after `head` and a separator, or undefined. */
export function afterHead(text: string, head: string): string | undefined {
  if (head === '' || !text.startsWith(head)) return undefined;
  const rest = text.slice(head.length);
  const separator = separators.find((one) => rest.startsWith(one));
  return separator === undefined || rest.length === separator.length
    ? undefined
    : rest.slice(separator.length);
}

/** The suites, followed by the part of the classname that they do not contain. */
export function joinedPath(suites: readonly string[], classname: string): readonly string[] {
  const named = suites.filter((suite, index) => suite !== '' && suite !== suites[index - 1]);
  if (classname === '' || named.some((name) => dotted(name) === dotted(classname))) return named;
  const last = named.at(-1) ?? '';
  for (const separator of separators) if (named.join(separator) === classname) return named;
  const rest = afterHead(classname, last);
  // Nested suites may repeat the whole path in each name.
  return rest === undefined ? [...named, classname] : [...named, rest];
}

/** PHP and Java write one class in several ways. */
const dotted = (name: string): string => name.replaceAll(/[\\/]/g, '.');
