import type { Source } from './ci-source.ts';

/** What is told of a build, as text. */
export const buildFields = [
  'repository',
  'workflow',
  'branch',
  'fork',
  'baseBranch',
  'tag',
  'commit',
  'build',
  'buildNumber',
  'attempt',
  'job',
  'jobUrl',
  'author',
  'pullRequest',
] as const;
export type BuildField = (typeof buildFields)[number];

/** How one provider tells a job about its build. */
export interface Provider {
  readonly title: string;
  /** A variable that only this provider sets, and the value that it has. */
  readonly mark: readonly [name: string, value: RegExp];
  /** The sources of each field; the first that has a value counts. */
  readonly fields: Readonly<Partial<Record<BuildField, readonly Source[]>>>;
}
