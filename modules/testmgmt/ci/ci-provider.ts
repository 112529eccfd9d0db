import type { Source } from './ci-source.ts';

/** The fields of a build, as text. */
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

/** How one provider describes a build to its jobs. */
export interface Provider {
  readonly title: string;
  /** A variable that only this provider sets, and its value. */
  readonly mark: readonly [name: string, value: RegExp];
  /** The sources of each field; the first one with a value wins. */
  readonly fields: Readonly<Partial<Record<BuildField, readonly Source[]>>>;
}
