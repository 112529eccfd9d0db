import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Actor } from '../../../core/base/actor.ts';
import { localExecutor } from '../../../core/tools/local-executor.ts';
import { loadModule } from '../../../core/kernel/module-loading.ts';
import { testmgmt } from '../manifest.ts';
import { startTestmgmtKernel, type TestmgmtKernel } from './testmgmt-kernel.ts';
import { adminTools, makeWorld, ownTools, validCalls, type World } from './valid-calls.ts';

const module = await loadModule(testmgmt);
let trivet: TestmgmtKernel;
beforeAll(async () => void (trivet = await startTestmgmtKernel()));
afterAll(() => trivet.stop());

const tools = (module.operations ?? []).flatMap(({ name, effect, toolset }) => {
  const valid = validCalls[name];
  return valid ? [{ name, isRead: effect === 'read', toolset, valid }] : [];
});
const rows = tools.map((tool) => [tool.name, tool] as const);

/** The code for a user of another organization: as if the record did not exist. */
const notFound: Readonly<Record<string, string>> = {
  'get-org-details': 'ORGANIZATION_NOT_FOUND',
  'get-projects': 'ORGANIZATION_NOT_FOUND',
  'create-project': 'ORGANIZATION_NOT_FOUND',
  'get-all-users': 'ORGANIZATION_NOT_FOUND',
  'list-former-members': 'ORGANIZATION_NOT_FOUND',
  'get-user-details': 'USER_NOT_FOUND',
  'update-test': 'TEST_NOT_FOUND',
  'bulk-update-tests': 'TEST_NOT_FOUND',
  'get-test-status-history-in-run': 'RUN_NOT_FOUND',
  'get-attachment': 'ATTACHMENT_NOT_FOUND',
  'revoke-share-link': 'SHARE_LINK_NOT_FOUND',
  'delete-view': 'VIEW_NOT_FOUND',
  'edit-section': 'SECTION_NOT_FOUND',
  'delete-section': 'SECTION_NOT_FOUND',
  'move-section': 'SECTION_NOT_FOUND',
  'list-test-versions': 'TEST_NOT_FOUND',
  'compare-test-versions': 'TEST_NOT_FOUND',
  'revert-test': 'TEST_NOT_FOUND',
  'undo-activity': 'ACTIVITY_NOT_FOUND',
  'review-test-change': 'REVIEW_NOT_FOUND',
  'merge-test-change': 'REVIEW_NOT_FOUND',
  'get-review': 'REVIEW_NOT_FOUND',
};

/** What a token for one project may also see: the names of its organization and of the members. */
const ofOrganization = new Set([
  'get-orgs-list',
  'get-org-details',
  'get-projects',
  'get-all-users',
  'list-former-members',
  'get-user-details',
  'list-followed-projects',
]);

/** Which roles are refused, and with which code; all others are allowed. */
const refusedTo = (tool: (typeof tools)[number]): ReadonlyArray<readonly [string, Actor, string]> => {
  const { name, isRead } = tool;
  const { owner, withRole } = trivet;
  const listsOwn = name === 'get-orgs-list' || name === 'list-followed-projects';
  const isForReaders = isRead || ownTools.includes(name);
  const needsAdmin = adminTools.includes(name);
  return [
    ...(isForReaders ? [] : [['a reader', withRole('reader'), 'FORBIDDEN'] as const]),
    ...(needsAdmin ? [['a member', withRole('member'), 'FORBIDDEN'] as const] : []),
    // An administrator of another organization is only a reader here.
    ...(isForReaders
      ? []
      : ([
          [
            'a reader here who is admin elsewhere',
            { ...owner, roles: new Map([...withRole('reader').roles, ...withRole('admin', 2).roles]) },
            'FORBIDDEN',
          ],
        ] as const)),
    ...(listsOwn
      ? []
      : ([
          ['someone who only signed in', { ...owner, roles: new Map() }, 'FORBIDDEN'],
          ['an admin elsewhere', withRole('admin', 2), notFound[name] ?? 'PROJECT_NOT_FOUND'],
        ] as const)),
    ...(ofOrganization.has(name)
      ? []
      : ([
          [
            'a token for another project',
            { ...owner, projectId: shared.neighbourId },
            name === 'create-project' ? 'FORBIDDEN' : (notFound[name] ?? 'PROJECT_NOT_FOUND'),
          ],
        ] as const)),
    ...(isRead ? [] : [['a read-only token', { ...owner, readOnly: true }, 'READ_ONLY'] as const]),
    // Whatever else the actor has: a guest has no tool at all.
    ['a guest', { ...owner, isGuest: true }, 'FORBIDDEN'],
    ['a token of another toolset', { ...owner, toolsets: ['cta'] }, 'FORBIDDEN'],
  ];
};

/* A refused call changes nothing, and a read neither: they share a world. Worlds of writes make every later look at all data slower. */
let shared: World;
let before: string;

describe('is refused to whoever may not, and nothing changes', () => {
  beforeAll(async () => {
    shared = await makeWorld(trivet);
    before = await trivet.everything();
  });

  test.each(rows)('%s', async (name, tool) => {
    const outcomes: Array<readonly [string, string | undefined]> = [];
    for (const [who, actor] of refusedTo(tool)) {
      outcomes.push([who, (await trivet.refusal(name, tool.valid(shared), actor))?.code]);
    }
    expect(outcomes).toEqual(refusedTo(tool).map(([who, , code]) => [who, code]));
    expect(await trivet.everything()).toBe(before);
    // No caller is offered a tool that it may never use.
    const offered = await localExecutor(trivet.kernel, trivet.withRole('reader'), {}).tools();
    expect(offered.some((one) => one.name === name)).toBe(tool.isRead || ownTools.includes(name));
  });
});

test.each(rows.filter(([, { isRead }]) => isRead))(
  '%s does not tell a token of another project where a record is',
  async (name, tool) => {
    const input = tool.valid(shared) as { readonly projectId?: number };
    if (input.projectId === undefined) return;
    const actor = { ...trivet.owner, projectId: shared.neighbourId };
    const refused = await trivet.refusal(name, { ...input, projectId: shared.neighbourId }, actor);
    expect(refused?.message ?? '').not.toContain('is of project');
  },
);

describe('works for everybody else', () => {
  test.each(rows)('%s', async (name, tool) => {
    const allowed: Actor[] = [trivet.withRole('admin')];
    if (!adminTools.includes(name)) allowed.push(trivet.withRole('member'));
    if (ownTools.includes(name)) allowed.push(trivet.withRole('reader'));
    if (tool.isRead) allowed.push(trivet.withRole('reader'), { ...trivet.owner, readOnly: true });
    for (const actor of allowed) {
      const world = tool.isRead ? shared : await makeWorld(trivet);
      // The administrator has a token for the project alone, which is enough for everything in it.
      const isOfProject = actor === allowed[0] && name !== 'create-project';
      const caller = isOfProject ? { ...actor, projectId: world.projectId } : actor;
      expect(await trivet.refusal(name, tool.valid(world), caller)).toBeNull();
    }
  });
});

test('whatever was called, the counts kept with projects and runs are those of their rows', async () => {
  expect(await trivet.wrongCounts()).toEqual([]);
});
