import type { Classification } from '../../rules/classification.ts';
import type { QueryValue } from './query-term.ts';

/** What a query selects: tests of a project, tests of one run, or runs of a project. */
export type QueryScope = 'tests' | 'run-tests' | 'runs';

export const ofTests = ['tests', 'run-tests'] as const;
export const ofAll = [...ofTests, 'runs'] as const;

/** A list in the project with the records that a value may name, by id or name. */
export type NamedList =
  | Classification
  | 'section'
  | 'squad'
  | 'label'
  | 'run'
  | 'milestone'
  | 'plan'
  | 'configuration';

/** The smallest and largest matching value, both included; null means open. */
export interface Interval {
  readonly least: number | null;
  readonly most: number | null;
}

/** A record or person by id, name, path or e-mail address. Its existence has not been checked yet. */
export interface Named {
  readonly text: string;
  /** Set when the text is a number that may be an id. */
  readonly id: number | null;
  /** In quotes a number is a name first; otherwise it is an id first. */
  readonly quoted?: true;
  readonly at: number;
}

/** A whole number in the form of an id or count. */
const wholeNumber = /^\d{1,15}$/;

export const wholeNumberOf = (text: string): number | null => (wholeNumber.test(text) ? Number(text) : null);

export const namedBy = ({ text, at, quoted }: QueryValue): Named => ({
  text: text.trim(),
  id: wholeNumberOf(text),
  ...(quoted && { quoted }),
  at,
});
