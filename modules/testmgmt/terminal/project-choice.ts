import { UsageError } from '../../../core/base/errors.ts';
import { nameKey } from '../../../core/text/name-key.ts';
import { didYouMean } from '../../../core/text/nearest-word.ts';
import type { CallTool } from '../../../core/tools/context-kinds.ts';

interface Project {
  readonly projectId: number;
  readonly projectName: string;
}

interface ProjectPage {
  readonly projects: readonly Project[];
  readonly nextOffset?: number;
}

/** Most names that an error lists. */
const shownProjects = 10;

/**
 * The project that a person means.
 * @param given its id or its name; by default the only project.
 * @throws UsageError that names the projects.
 */
export async function projectIdOf(call: CallTool, given: string | undefined): Promise<number> {
  if (given !== undefined && /^\d{1,15}$/.test(given)) return Number(given);
  const projects = await everyProject(call);
  const listed = projects.slice(0, shownProjects).map((one) => `${one.projectId} ${one.projectName}`);
  const known = `${listed.join(', ')}${projects.length > shownProjects ? ', …' : ''}`;
  if (projects.length === 0)
    throw new UsageError(
      'There is no project yet. Create one: trivet call create-project -a orgId=1 -a projectName=Shop',
    );
  if (given === undefined) {
    const [only, ...others] = projects;
    if (only && others.length === 0) return only.projectId;
    throw new UsageError(`Which project? Give --project ID or NAME, or set TRIVET_PROJECT. Known: ${known}.`);
  }
  const [found, ...others] = projects.filter((one) => nameKey(one.projectName) === nameKey(given));
  if (found && others.length === 0) return found.projectId;
  if (found)
    throw new UsageError(
      `--project: several projects have this name. Give an id: ${[found, ...others].map((one) => one.projectId).join(', ')}.`,
    );
  const names = projects.map((one) => one.projectName);
  throw new UsageError(`--project: there is no such project.${didYouMean(given, names)} Known: ${known}.`);
}

async function everyProject(call: CallTool): Promise<readonly Project[]> {
  const found: Project[] = [];
  const { organizations } = (await call('get-orgs-list', {})) as {
    readonly organizations: ReadonlyArray<{ readonly orgId: number }>;
  };
  for (const { orgId } of organizations) {
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const page = (await call('get-projects', { orgId, offset })) as ProjectPage;
      found.push(...page.projects);
      offset = page.nextOffset;
    }
  }
  return found;
}
