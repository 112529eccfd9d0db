import { afterSlash, bracketed, dataSet, javaInvocation } from '../cases/case-parameters.ts';
import type { Repeated } from '../cases/case-list.ts';
import { lineOf } from '../cases/case-values.ts';

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

/** How a tool writes JUnit XML, where it differs from other tools. */
export interface JUnitDialect {
  readonly tool: string;
  /** Recognizes a file of this tool by something that no other tool writes. */
  readonly isOf: (first: FirstCase) => boolean;
  readonly place: (one: CaseElement) => CasePlace;
  readonly repeated: Repeated;
  /** The tool marks retried cases, so an unmarked case was not retried. */
  readonly showsRetries?: boolean;
  /** The errors counted in `<testsuites>` are not those of cases: packages that did not build. */
  readonly countsBuilds?: boolean;
  /** Whether the case failed although the file marks it as skipped. */
  readonly failed?: (one: CaseElement, message: string | undefined) => boolean;
}

/** The facts about a file that are known at its first case. */
interface FirstCase {
  /** Attributes of the root element. */
  readonly root: Readonly<Record<string, string>>;
  /** Attributes of the innermost suite around the case. */
  readonly suite: Readonly<Record<string, string>>;
  readonly name: string;
  readonly classname: string;
  readonly attributes: Readonly<Record<string, string>>;
}

type Source = Pick<CasePlace, 'file' | 'line'>;

function sourceOf({ attributes, suites }: CaseElement): Source {
  const ofSuite = suites.findLast(
    ({ attributes }) => attributes['file'] || attributes['filepath'],
  )?.attributes;
  const file = attributes['file'] ?? attributes['filepath'] ?? ofSuite?.['file'] ?? ofSuite?.['filepath'];
  const line = lineOf(attributes['line'] ?? attributes['lineno']);
  return { ...(file && { file }), ...(file && line !== undefined && { line }) };
}

/** The names of the suites except that of `<testsuites>`, which names the run. */
const suiteNames = ({ suites }: CaseElement): readonly string[] =>
  suites.flatMap(({ element, attributes }) => (element === 'testsuite' ? (attributes['name'] ?? '') : []));

const separators = [' > ', ' › ', '::', '.', '/', '\\', ' ', '$', '+', ':'];

/** The part of `text` after `head` and a separator, or undefined. */
function afterHead(text: string, head: string): string | undefined {
  if (head === '' || !text.startsWith(head)) return undefined;
  const rest = text.slice(head.length);
  const separator = separators.find((one) => rest.startsWith(one));
  return separator === undefined || rest.length === separator.length
    ? undefined
    : rest.slice(separator.length);
}

/** The suites, followed by the part of the classname that they do not contain. */
function joinedPath(suites: readonly string[], classname: string): readonly string[] {
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

const present = (names: readonly string[]): readonly string[] => names.filter((name) => name !== '');

/** A name that is a path of titles below its file, as vitest and Playwright write it. */
function titled(one: CaseElement, separator: string): Pick<CasePlace, 'suites' | 'name'> {
  // A title that begins or ends with the separator is not a path.
  const titles = one.name.split(separator);
  const parts = titles.includes('') ? [one.name] : titles;
  return { suites: present([...suiteNames(one), ...parts.slice(0, -1)]), name: parts.at(-1) ?? '' };
}

const isJavaClass = (name: string) => /^(?:[\p{L}_$][\p{L}\d_$]*\.)+[\p{L}_$][\p{L}\d_$]*$/u.test(name);
const goTest = /^(?:Test|Example|Fuzz|Benchmark)(?:[^a-z]|$)/;
const scriptFile = /\.[cm]?[jt]sx?$/;

const dialects: readonly JUnitDialect[] = [
  {
    tool: 'bun',
    isOf: ({ root }) => root['name'] === 'bun test',
    // Its classname repeats the suites, innermost first.
    place: (one) => ({ suites: present(suiteNames(one)), name: one.name, ...sourceOf(one) }),
    repeated: 'own',
  },
  {
    tool: 'node',
    isOf: ({ root, suite, classname }) => classname === 'test' && !('name' in root && suite === root),
    // Every classname is "test" (or "suite"); quotes in names are escaped twice.
    place: (one) => ({
      suites: present(suiteNames(one)).map(escapedTwice),
      name: escapedTwice(one.name),
      ...sourceOf(one),
    }),
    repeated: 'own',
  },
  {
    tool: 'vitest',
    isOf: ({ root }) => root['name'] === 'vitest tests',
    // A file that could not be loaded becomes a case named after the file.
    place: (one) => {
      const file = suiteNames(one).at(-1);
      const place = one.name === file ? { suites: [], name: one.name } : titled(one, ' > ');
      return { ...place, ...(file && scriptFile.test(file) && { file }), ...sourceOf(one) };
    },
    repeated: 'own',
  },
  {
    tool: 'playwright',
    isOf: ({ root, suite, classname }) =>
      'id' in root &&
      suite['hostname'] !== undefined &&
      classname === suite['name'] &&
      scriptFile.test(classname),
    place: (one) => {
      const project = one.suites.at(-1)?.attributes['hostname'];
      return { ...titled(one, ' › '), ...(project && { variant: project }), file: one.classname };
    },
    repeated: 'own',
  },
  {
    tool: 'jest-junit',
    isOf: ({ root }) => root['name'] === 'jest tests',
    // Its suite is the first title of the file, whatever that is, or "undefined"; a path where the user configured it. Both name and
    // classname contain the whole path of titles unless the user configured otherwise.
    place: (one) => {
      const file = suiteNames(one).find((name) => scriptFile.test(name));
      const titles = one.classname === one.name ? '' : one.classname.trim();
      const isFile = one.name === file;
      return {
        suites: isFile ? [] : present([file ?? '', titles]),
        name: one.name.trim(),
        ...(file && { file }),
        ...sourceOf(one),
      };
    },
    repeated: 'own',
  },
  {
    tool: 'mocha',
    isOf: ({ root }) => root['name'] === 'Mocha Tests',
    // By default, mocha-junit-reporter writes the whole title as name and the last one as classname.
    place: (one) => {
      const swapped = one.name.endsWith(` ${one.classname}`) && one.classname !== '';
      const [titles, name] = swapped
        ? [one.name.slice(0, -one.classname.length - 1), one.classname]
        : [one.classname === one.name ? '' : one.classname, one.name];
      return { suites: present([titles]), name, ...sourceOf(one) };
    },
    repeated: 'own',
  },
  {
    tool: 'pytest',
    isOf: ({ root, suite }) => suite['name'] === 'pytest' || root['name'] === 'pytest tests',
    // "tests.test_a.TestB": classes begin with a capital (PEP 8), modules do not.
    place: (one) => {
      const { file, line } = sourceOf(one);
      const parts = one.classname.split('.');
      const firstClass = parts.findIndex((part) => /^\p{Lu}/u.test(part));
      const classes = firstClass < 0 ? [] : parts.slice(firstClass);
      const module = (firstClass < 0 ? parts : parts.slice(0, firstClass)).join('.');
      // Its line numbers begin at 0.
      const zeroBased = one.attributes['line'];
      return {
        suites: present([module, ...classes]),
        ...bracketed(one.name),
        ...(file && { file }),
        ...(file && zeroBased !== undefined && { line: zeroBased === '0' ? 1 : (line ?? 0) + 1 }),
      };
    },
    repeated: 'same',
  },
  {
    tool: 'phpunit',
    isOf: ({ root, suite, attributes }) =>
      root !== suite && 'assertions' in suite && 'assertions' in attributes,
    // A case of a script has no class.
    place: (one) => ({
      suites: present([(one.attributes['class'] ?? one.classname).replaceAll('.', '\\')]),
      ...dataSet(one.name),
      ...sourceOf(one),
    }),
    repeated: 'own',
  },
  {
    tool: 'go',
    isOf: ({ suite, name, classname }) =>
      goTest.test(name) && (classname === suite['name'] || (suite['name'] ?? '').endsWith(`/${classname}`)),
    place: (one) => ({ suites: present([suiteNames(one).at(-1) ?? '']), name: one.name }),
    // gotestsum --rerun-fails writes each attempt, the failing ones first.
    repeated: 'retry',
    countsBuilds: true,
  },
  {
    tool: 'gtest',
    isOf: ({ attributes, suite, classname }) =>
      'status' in attributes && 'result' in attributes && classname === suite['name'],
    place: (one) => ({
      suites: present([one.classname]),
      ...('value_param' in one.attributes ? afterSlash(one.name) : { name: one.name }),
      ...sourceOf(one),
    }),
    repeated: 'own',
  },
  {
    tool: 'catch2',
    isOf: ({ suite, classname }) =>
      suite['hostname'] === 'tbd' && afterHead(classname, suite['name'] ?? '') !== undefined,
    place: (one) => ({
      suites: joinedPath(suiteNames(one), one.classname).filter(
        (part, index) => index === 0 || part !== 'global',
      ),
      name: one.name,
    }),
    repeated: 'own',
  },
  {
    tool: 'ctest',
    isOf: ({ attributes, name, classname }) =>
      'status' in attributes && !('result' in attributes) && classname === name,
    // The suite is the machine that ran it.
    place: (one) => ({ suites: [], name: one.name }),
    repeated: 'own',
    // It counts cases that it could not start as failed.
    failed: (one, message = '') =>
      one.attributes['status'] === 'notrun' && !/^(?:SKIP_|Disabled)/.test(message) && message !== '',
  },
  {
    tool: 'nextest',
    isOf: ({ root }) => root['name'] === 'nextest-run' || 'uuid' in root,
    place: (one) => ({ suites: present(suiteNames(one)), name: one.name }),
    repeated: 'own',
    showsRetries: true,
  },
  {
    tool: 'bazel',
    isOf: ({ attributes, suite, name }) =>
      'duration' in attributes && 'status' in attributes && name === suite['name'],
    place: (one) => ({ suites: [], name: one.name }),
    repeated: 'own',
  },
  {
    tool: 'unittest-xml-reporting',
    // Its suite name ends with the time.
    isOf: ({ suite }) => /-\d{14}$/.test(suite['name'] ?? ''),
    place: (one) => ({ suites: present([one.classname]), name: one.name, ...sourceOf(one) }),
    repeated: 'own',
  },
  {
    tool: 'busted',
    isOf: ({ classname }) => /\.lua:\d+$/.test(classname),
    place: (one) => {
      const [, file = '', line] = /^(.*):(\d+)$/.exec(one.classname) ?? [];
      const number = lineOf(line);
      return { suites: present([file]), name: one.name, file, ...(number !== undefined && { line: number }) };
    },
    repeated: 'own',
  },
  {
    tool: 'surefire',
    isOf: ({ root }) => (root['xsi:noNamespaceSchemaLocation'] ?? '').includes('surefire'),
    place: (one) => javaPlace(one),
    repeated: 'own',
    showsRetries: true,
  },
  {
    tool: 'gradle',
    isOf: ({ suite, classname, root }) =>
      root === suite &&
      suite['hostname'] !== undefined &&
      classname === suite['name'] &&
      isJavaClass(classname),
    place: (one) => javaPlace(one),
    repeated: 'retry',
  },
];

const javaPlace = (one: CaseElement): CasePlace => ({
  suites: joinedPath(suiteNames(one), one.classname),
  ...javaInvocation(one.name),
  ...sourceOf(one),
});

const escapedTwice = (text: string): string => text.replaceAll('&quot;', '"');

/** Suites that are named after the tool and contain everything. */
const toolNames = new Set(['rspec', 'Cucumber', 'TestResults', 'Minitest']);

/** Any other tool: all cases with the same name are listed, so nothing is hidden. */
const plain: JUnitDialect = {
  tool: 'unknown',
  isOf: () => true,
  place: (one) => {
    const names = suiteNames(one).filter((name) => !toolNames.has(name));
    const suites = joinedPath(names, one.classname === one.name ? '' : one.classname);
    return { suites, name: one.name, ...sourceOf(one) };
  },
  repeated: 'own',
};

export function dialectOf(
  suites: readonly SuiteElement[],
  attributes: Readonly<Record<string, string>>,
): JUnitDialect {
  const root = suites[0]?.attributes ?? {};
  const suite = suites.findLast(({ element }) => element === 'testsuite')?.attributes ?? {};
  const { name = '', classname = '' } = attributes;
  const first: FirstCase = { root, suite, name, classname, attributes };
  return dialects.find(({ isOf }) => isOf(first)) ?? plain;
}
