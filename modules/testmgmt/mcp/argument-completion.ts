import type { CallTool, Complete } from '../../../core/tools/context-kinds.ts';

/* Completes the arguments of prompts and resources: ids and names that the caller may see. */

/** The most projects or runs that are searched. */
const lookedAt = 500;

interface Choice {
  readonly id: number;
  readonly name: string;
}

/** The choices that match a text: an id that begins with it, or a name that contains it. */
const fitting = (choices: readonly Choice[], value: string): readonly Choice[] => {
  const text = value.trim().toLowerCase();
  return choices.filter(({ id, name }) => String(id).startsWith(text) || name.toLowerCase().includes(text));
};

async function projectsOf(call: CallTool): Promise<readonly Choice[]> {
  const { organizations } = (await call('get-orgs-list', {})) as { organizations: Array<{ orgId: number }> };
  const pages = await Promise.all(
    organizations.slice(0, 10).map(({ orgId }) => call('get-projects', { orgId, limit: lookedAt })),
  );
  return pages.flatMap((page) =>
    (page as { projects: Array<{ projectId: number; projectName: string }> }).projects.map(
      ({ projectId, projectName }) => ({ id: projectId, name: projectName }),
    ),
  );
}

async function runsOf(call: CallTool, projectId: string): Promise<readonly Choice[]> {
  const page = (await call('get-runs', {
    // A name is accepted in place of the id.
    projectId: /^\d+$/.test(projectId) ? Number(projectId) : projectId,
    limit: lookedAt,
    fields: ['runId', 'runName'],
  })) as { runs: Array<{ runId: number; runName: string }> };
  return page.runs.map(({ runId, runName }) => ({ id: runId, name: runName }));
}

/** Arguments of prompts. Tools accept the name of a project, but only the id of a run. */
export const completeArgument: Complete = async (call, { name, value }, given) => {
  if (name === 'projectId') {
    const found = fitting(await projectsOf(call), value);
    return /^\d*$/.test(value.trim()) ? found.map(({ id }) => String(id)) : found.map((one) => one.name);
  }
  if (name === 'runId' && given['projectId'])
    return fitting(await runsOf(call, given['projectId']), value).map(({ id }) => String(id));
  return [];
};

/** The expression of a resource, which takes an id. */
export const completeProjectId: Complete = async (call, { value }) =>
  fitting(await projectsOf(call), value).map(({ id }) => String(id));
