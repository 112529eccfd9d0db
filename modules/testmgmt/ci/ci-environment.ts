import { forges } from './ci-forges.ts';
import { buildFields, type BuildField, type Provider } from './ci-provider.ts';
import { servers } from './ci-servers.ts';
import { firstOf, type Surroundings } from './ci-source.ts';
import { cut, lineOf, shortened, webAddressOf } from './foreign-text.ts';

const providers = { ...forges, ...servers } as const satisfies Readonly<Record<string, Provider>>;
type ProviderName = keyof typeof providers;

/** What a job knows about its build. Anything that its provider does not report is absent. */
export interface CiEnvironment {
  /** Undefined outside a pipeline. */
  readonly provider: ProviderName | undefined;
  /** `acme/shop`. */
  readonly repository?: string;
  readonly workflow?: string;
  /** The branch whose commits are tested; `mallory/shop:main` for a branch in a fork. */
  readonly branch?: string;
  /** The target branch of a pull request, a merge request or a merge queue; the default branch for any other build. */
  readonly baseBranch?: string;
  readonly tag?: string;
  /** The newest commit of the branch, not the merge commit that some providers make for a build. */
  readonly commit?: string;
  /** The provider's id of this build, which all its jobs share. */
  readonly build?: string;
  /** The number of the build as shown to people. */
  readonly buildNumber?: string;
  /** From 1: how often the whole build was started. */
  readonly attempt?: number;
  /** Tells parallel jobs of a build apart, and stays the same when the job is run again. */
  readonly job?: string;
  readonly jobUrl?: string;
  /** The account or the name of the person for whom the build runs. */
  readonly author?: string;
  readonly pullRequest?: string;
}

/** Most characters of a value. */
const valueLimit = 255;
/** Most characters read of a variable, which may have 128 KiB. */
const readLimit = 4_000;

/**
 * Reads the build of a job from its variables.
 * @param event the event that started it, where the provider stores it in a file: the JSON of GITHUB_EVENT_PATH.
 */
export function ciEnvironmentOf(
  env: Readonly<Record<string, string | undefined>>,
  event?: unknown,
): CiEnvironment {
  const variable = (name: string) => valueOf(env[name]);
  const of: Surroundings = { variable, event: (path) => valueOf(memberOf(event, path)) };
  const provider = namesOf(providers).find((name) => {
    const [mark, value] = providers[name].mark;
    return value.test(variable(mark) ?? '');
  });
  if (provider === undefined) return { provider };
  const { fields }: Provider = providers[provider];
  const told: Partial<Record<BuildField, string>> = {};
  for (const field of buildFields) {
    const value = checked(field, firstOf(fields[field] ?? [], of));
    if (value !== undefined) told[field] = value;
  }
  const { fork, branch, baseBranch, attempt, ...rest } = told;
  return {
    provider,
    ...rest,
    ...branchesOf({ fork, branch, baseBranch, tag: rest.tag, pullRequest: rest.pullRequest }),
    ...(attempt === undefined ? {} : { attempt: Number(attempt) }),
  };
}

const namesOf = (table: typeof providers) => Object.keys(table) as ProviderName[];

/** A value in one line; undefined for an empty value, and for a variable that Azure Pipelines did not replace: `$(Name)`. */
function valueOf(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const line = lineOf(String(value).slice(0, readLimit));
  return line === '' || /^\$\([\w.]+\)$/.test(line) ? undefined : line;
}

function memberOf(value: unknown, path: string): unknown {
  let at = value;
  for (const name of path.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[name];
  }
  return at;
}

/** The value of a field, if it is valid: Buildkite's commit may be the word HEAD. */
function checked(field: BuildField, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (field === 'commit') return /^[\da-f]{1,64}$/i.test(value) ? value.toLowerCase() : undefined;
  if (field === 'attempt') return /^[1-9]\d{0,5}$/.test(value) ? value : undefined;
  if (field === 'jobUrl') {
    const url = webAddressOf(value);
    // A truncated address would lead elsewhere.
    return url !== undefined && url.length <= valueLimit ? url : undefined;
  }
  return shortened(value, valueLimit);
}

/**
 * The branch and its target. `main` of a fork is not the same branch as `main`: its results must not count as those of `main`. A pull
 * request from a branch into one of the same name is from a fork, even where the provider does not say so.
 */
function branchesOf({
  branch,
  baseBranch,
  fork,
  tag,
  pullRequest,
}: Readonly<Record<'branch' | 'baseBranch' | 'fork' | 'tag' | 'pullRequest', string | undefined>>): Pick<
  CiEnvironment,
  'branch' | 'baseBranch'
> {
  if (branch === undefined || branch === tag) return baseBranch === undefined || tag ? {} : { baseBranch };
  // Drone reports the branch itself as the target of a push.
  if (branch === baseBranch && pullRequest === undefined) return { branch };
  const owner = fork ?? (branch === baseBranch ? `#${pullRequest}` : undefined);
  // A branch name in Git contains no colon: Buildkite may have prefixed the owner already.
  const own = owner === undefined || branch.includes(':') ? branch : `${owner}:${branch}`;
  return { branch: shortened(own, valueLimit), ...(baseBranch === undefined ? {} : { baseBranch }) };
}

/** Most characters of the key and of the name of a run. */
const runLimit = 255;
/** Six parts of this length and their separators fit. */
const partLimit = 41;

const keyPart = (part: string | number | undefined): string =>
  part === undefined ? '-' : String(part).replaceAll(/[%:]/g, encodeURIComponent);

/**
 * The key of the run into which all jobs of a build upload, e.g. `github:acme/shop:CI:1658821493:1a2b…:1`. Undefined where nothing
 * distinguishes builds.
 */
export function runKeyOf(environment: CiEnvironment): string | undefined {
  const { provider, repository, workflow, build, commit, attempt } = environment;
  if (provider === undefined || build === undefined) return undefined;
  const parts = [provider, repository, workflow, build, commit, attempt].map(keyPart);
  const key = parts.join(':');
  return key.length <= runLimit ? key : parts.map((part) => shortened(part, partLimit)).join(':');
}

/** The name of the run of a build, e.g. `CI #123 · main @ 1a2b3c4`. */
export function runNameOf(environment: CiEnvironment): string | undefined {
  const { provider, workflow, buildNumber, branch, tag, pullRequest, commit, attempt } = environment;
  if (provider === undefined) return undefined;
  const place = branch ?? tag ?? (pullRequest && `pull request ${pullRequest}`);
  return [
    [cut(workflow ?? providers[provider].title, 80), buildNumber && `#${cut(buildNumber, 30)}`],
    [place && cut(place, 100), place && commit && '@', commit?.slice(0, 7)],
    [attempt !== undefined && attempt > 1 && `attempt ${attempt}`],
  ]
    .map((words) => words.filter(Boolean).join(' '))
    .filter((part) => part !== '')
    .join(' · ');
}
