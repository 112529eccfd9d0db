import { agentHeader, agentOf } from '../../base/agent-name.ts';
import { grantedToolsetsOf, includes, mayUse, rightsOf, type Actor } from '../../base/actor.ts';
import { fail } from '../../base/errors.ts';
import { perHost } from '../../host/host.ts';
import { type Kernel } from '../../kernel/kernel.ts';
import { coreSettings } from '../../settings/settings.ts';
import { withinCut, type CallerTools, type Executor, type ToolCut } from '../../tools/executor.ts';
import { localExecutor } from '../../tools/local-executor.ts';
import type { Operation } from '../../tools/operation.ts';
import { callerOf } from '../caller/bearer.ts';
import { exchangeOf } from '../request/exchange.ts';
import { isOfPage, isShownByPage, pageCaller } from '../caller/page-caller.ts';
import { sharedRateLimit } from '../rate/rate-exchange.ts';
import { admit } from '../rate/rate-limit.ts';

const toolLimit = perHost((host) =>
  sharedRateLimit(host, 'tools', host.config.follow(coreSettings, 'rate-tools')),
);

/** Rights of a caller that were read longer ago (ms) are read again before a tool is called. */
const rightsMs = 1_000;

/** The scopes of a credential. */
const scopesOf = ({ toolsets, readToolsets = [], grants = [], readOnly }: Actor): readonly string[] => [
  ...(toolsets ?? []).map((name) => (readToolsets.includes(name) ? `${name}:read` : name)),
  ...grants,
  ...(readOnly ? ['read-only'] : []),
];

/** The tools of one caller, with the checks before a body is read. */
export interface ServedTools extends Executor, CallerTools {
  /** The operation, if the caller may use it; otherwise `call` throws the reason, whatever the arguments. */
  allowed(tool: string): Operation | undefined;
  /**
   * The scopes with which the caller could use a tool, or some tool of these toolsets: those of its token plus the missing ones. null when
   * the token is not the reason, or when it cannot be extended (a personal access token).
   */
  missingScopes(
    asked: { readonly tool: string } | { readonly toolsets: readonly string[] },
  ): readonly string[] | null;
  /** For a file that a tool reads while it arrives. @throws Fault UNAUTHENTICATED, FORBIDDEN if the caller has lost a right meanwhile. */
  keepsRights(): Promise<void>;
  /** The credential of the caller, for counts; not the secret. */
  readonly credential: string;
  /** The program that the person signed in with (`Actor.client`). */
  readonly client?: string;
}

/**
 * The tools of the caller of this request, for `/api/tools` and `/mcp`, after the guard and the bearer check. Requests are limited per
 * token, before their body is read. A `file` may be an image of one of our own pages, which sends no header of its own. Lists are counted separately, so that they do not use up calls.
 * @throws Fault HOST_NOT_ALLOWED, ORIGIN_NOT_ALLOWED, UNAUTHENTICATED; its `tools` RATE_LIMITED.
 */
export async function servedTools(
  kernel: Kernel,
  request: Request,
  guard: (request: Request) => void,
  cut: ToolCut,
  surface: 'http' | 'mcp' | 'file',
): Promise<ServedTools> {
  guard(request);
  const ofPage = surface !== 'mcp' && (isOfPage(request) || (surface === 'file' && isShownByPage(request)));
  const { host, identity } = kernel;
  // Bound, because an arrow function would make each request return to this file once more (test/walks.test.ts).
  const readActor = ofPage
    ? pageCaller.bind(null, host, identity, request, surface === 'file')
    : callerOf.bind(null, host, identity, request, [host.origin(), `${host.origin()}/mcp`]);
  const readAt = host.clock.now();
  const actor = await readActor();
  const exchange = exchangeOf(request);
  // `trivet --mcp --url`: an agent on another machine. Whoever leaves the header out is no agent, as with any call over HTTP.
  const named = surface === 'http' && !ofPage && request.headers.has(agentHeader);
  const agent = named ? agentOf(request.headers) : undefined;
  const writer = ofPage ? 'console' : surface === 'mcp' ? 'mcp' : agent ? 'stdio' : 'http';
  const executor = localExecutor(kernel, actor, cut, writer);
  // A tool is called when the body has arrived. A sender could hold back its last byte until after somebody has removed them. The absolute
  // value, because the clock may be set back meanwhile.
  const isLate = () => Math.abs(host.clock.now() - readAt) > rightsMs;
  const limit = toolLimit(host);
  const allowed = (tool: string) => {
    const operation = kernel.operations.get(tool);
    return operation && withinCut(operation, cut) && mayUse(actor, operation) ? operation : undefined;
  };
  return {
    ...executor,
    actor,
    call: async (tool, input, options) => {
      // An unknown tool name is text from the client.
      if (kernel.operations.has(tool)) exchange.tool = tool;
      const present = isLate() ? localExecutor(kernel, await readActor(), cut, writer) : executor;
      return present.call(tool, input, { ...agent, ...options });
    },
    keepsRights: async () => {
      if (isLate() && !includes(rightsOf(await readActor()), rightsOf(actor)))
        throw fail.FORBIDDEN('You have lost a right since this request began.', { cause: 'rights' });
    },
    tools: async () => {
      admit(request, limit, `${actor.credential} list`);
      return executor.tools();
    },
    allowed,
    offers: (tool) => allowed(tool) !== undefined,
    missingScopes: (asked) => {
      const { toolsets } = actor;
      if (actor.via !== 'session') return null;
      if ('toolsets' in asked)
        return toolsets === null ||
          asked.toolsets.length === 0 ||
          asked.toolsets.some((one) => toolsets.includes(one))
          ? null
          : [...scopesOf(actor), ...asked.toolsets];
      const operation = kernel.operations.get(asked.tool);
      if (!operation || !withinCut(operation, cut)) return null;
      const granted = grantedToolsetsOf(actor, operation);
      const mayWrite = !actor.readOnly && granted.some((one) => !actor.readToolsets?.includes(one));
      if (granted.length > 0 && (operation.effect === 'read' || mayWrite)) return null;
      const [toolset = operation.toolset] = granted;
      return [
        ...scopesOf(actor).filter((word) => word !== 'read-only' && word !== `${toolset}:read`),
        toolset,
      ];
    },
    credential: actor.credential,
    ...(actor.client === undefined ? {} : { client: actor.client }),
    countCall: () => admit(request, limit, actor.credential),
  };
}
