/* Sources for the fields of a build, from which the table of ci-provider.ts is composed. Each returns one text, or undefined. */

/** The environment of a job. An empty value counts as absent: most providers set unknown values to an empty text. */
export interface Surroundings {
  readonly variable: (name: string) => string | undefined;
  /** A text or number in the JSON of the event that started the build, by its path, e.g. `pull_request.head.sha`. */
  readonly event: (path: string) => string | undefined;
}

type Finder = (of: Surroundings) => string | undefined;

/** The name of a variable, or how to find the value. */
export type Source = string | Finder;

/** For a variable that only has to be present. */
export const any = /./;

const found = (source: Source, of: Surroundings): string | undefined =>
  typeof source === 'string' ? of.variable(source) : source(of);

/** The value of the first of these sources that has one. */
export function firstOf(sources: readonly Source[], of: Surroundings): string | undefined {
  for (const source of sources) {
    const value = found(source, of);
    if (value !== undefined) return value;
  }
  return undefined;
}

export const inEvent =
  (path: string): Finder =>
  (of) =>
    of.event(path);

/** The values of the variables that have one, joined into one text; undefined if the first has none. */
export const joined =
  (first: string, ...rest: readonly string[]): Finder =>
  (of) =>
    of.variable(first) && [first, ...rest].flatMap((name) => of.variable(name) ?? []).join(' ');

/** A text with variables in braces; undefined if one of them has no value. */
export const written =
  (pattern: string): Finder =>
  (of) => {
    const names = [...pattern.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    if (names.some((name) => of.variable(name) === undefined)) return undefined;
    return pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => of.variable(name) ?? '');
  };

/** The value of a source, transformed by a rule. */
export const by =
  (rule: (value: string) => string | undefined, source: Source): Finder =>
  (of) => {
    const value = found(source, of);
    return value === undefined ? undefined : rule(value);
  };

/** The first value, if the second is known and different: the repository of a branch, if it is a fork. */
export const unlike =
  (source: Source, other: Source): Finder =>
  (of) => {
    const [value, usual] = [found(source, of), found(other, of)];
    return value !== undefined && usual !== undefined && value.toLowerCase() !== usual.toLowerCase()
      ? value
      : undefined;
  };

/** The branch that a ref names; undefined for a tag, the merge commit of a pull request and a commit without a branch. */
export function branchIn(ref: string): string | undefined {
  const branch = ref.replace(/^(?:refs\/(?:heads|remotes\/origin)|origin)\//, '');
  return /^refs\/|^(?:HEAD|detached)$/.test(branch) ? undefined : branch;
}

export const tagIn = (ref: string): string | undefined => /^refs\/tags\/(.+)$/.exec(ref)?.[1];

/** `acme/shop` from a clone address, which may contain a password. */
export const repositoryIn = (address: string): string | undefined =>
  /^(?:\w[\w+.-]*:\/\/[^/]+\/|[^/:]+:\/?|\/)(.+?)(?:\.git)?\/?$/.exec(address)?.[1];

export const pullRequestIn = (ref: string): string | undefined => /^refs\/pull\/(\d+)\//.exec(ref)?.[1];

export const lastNumberIn = (text: string): string | undefined => /(?<!\d)(\d+)\/?$/.exec(text)?.[1];

/** The folder of a job: in the folder of a multibranch project, Jenkins has a job for each branch and pull request. */
export const folderOf = (path: string): string | undefined => /^(.+)\/[^/]+$/.exec(path)?.[1];
