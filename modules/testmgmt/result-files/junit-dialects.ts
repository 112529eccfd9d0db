import type { Repeated } from './case-list.ts';
import { lineOf } from './case-values.ts';
import {
  joinedPath,
  suiteNames,
  type CaseElement,
  type CasePlace,
  type SuiteElement,
} from './junit-names.ts';

/** How a tool writes JUnit XML, as far as it differs from the others. */
export interface JUnitDialect {
  readonly tool: string;
  /** Whether the file is this tool's, by what only it writes. */
  readonly isOf: (first: FirstCase) => boolean;
  readonly place: (one: CaseElement) => CasePlace;
  readonly repeated: Repeated;
  /** A case that was tried again says so, so one that does not was not. */
  readonly showsRetries?: boolean;
  /** The headers count assertions or attempts, so they prove nothing. */
  readonly countsOtherThings?: boolean;
}

/** What is known of a file at its first case. */
export interface FirstCase {
  /** Attributes of the outermost element. */
  readonly root: Readonly<Record<string, string>>;
  /** Attributes of the suites, outermost first, without `<testsuites>`. */
  readonly suites: ReadonlyArray<Readonly<Record<string, string>>>;
  readonly attributes: Readonly<Record<string, string>>;
}

function sourceOf({ attributes, suites }: CaseElement): Pick<CasePlace, 'file' | 'line'> {
  const ofSuite = suites.findLast(
    ({ attributes }) => attributes['file'] || attributes['filepath'],
  )?.attributes;
  const file = attributes['file'] ?? attributes['filepath'] ?? ofSuite?.['file'] ?? ofSuite?.['filepath'];
  const line = lineOf(attributes['line'] ?? attributes['lineno']);
  return { ...(file && { file }), ...(file && line !== undefined && { line }) };
}

const plain: JUnitDialect = {
  tool: 'unknown',
  isOf: () => true,
  place: (one) => ({ suites: joinedPath(suiteNames(one), one.classname), name: one.name, ...sourceOf(one) }),
  // Hides nothing: both are listed.
  repeated: 'own',
};

const dialects: readonly JUnitDialect[] = [plain];

export function dialectOf(
  suites: readonly SuiteElement[],
  attributes: Readonly<Record<string, string>>,
): JUnitDialect {
  const first: FirstCase = {
    root: suites[0]?.attributes ?? {},
    suites: suites.flatMap(({ element, attributes }) => (element === 'testsuite' ? [attributes] : [])),
    attributes,
  };
  return dialects.find(({ isOf }) => isOf(first)) ?? plain;
}
