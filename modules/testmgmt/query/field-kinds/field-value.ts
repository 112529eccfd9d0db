import type { Classification } from '../../rules/classification.ts';
import type { QueryValue } from './query-term.ts';

/** What a query chooses: tests of a project, tests of one run, or runs of a project. */
export type QueryScope = 'tests' | 'run-tests' | 'runs';

export const ofTests = ['tests', 'run-tests'] as const;
export const ofAll = [...ofTests, 'runs'] as const;

/** A list of the project whose records a value names, by id or name. */
export type NamedList = Classification | 'section' | 'squad' | 'label' | 'run';

/** Smallest and largest value that fit, both included; null is open. */
export interface Interval {
  readonly least: number | null;
  readonly most: number | null;
}

/** A record or person by id, name, path or e-mail address. It is not known yet whether it exists. */
export interface Named {
  readonly text: string;
  /** When the text is a number that an id may have. */
  readonly id: number | null;
  readonly at: number;
}

/** A number as an id or count is written. */
const wholeNumber = /^\d{1,15}$/;

export const wholeNumberOf = (text: string): number | null => (wholeNumber.test(text) ? Number(text) : null);

export const namedBy = ({ text, at }: QueryValue): Named => ({
  text: text.trim(),
  id: wholeNumberOf(text),
  at,
});
