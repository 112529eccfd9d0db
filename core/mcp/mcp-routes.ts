import { fail, Fault } from '../base/errors.ts';
import { faultAnswer } from '../http/answer/answer.ts';
import type { SurfaceRoutes } from '../http/server/app.ts';
import { isMediaType, readJson, type BodyLimits } from '../http/request/body.ts';
import { messageLimits } from '../http/request/operation-limits.ts';
import { queryOf } from '../http/request/query.ts';
import { servedTools, type ServedTools } from '../http/server/served-tools.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { toolNamesOf } from '../kernel/module-loading.ts';
import type { Module } from '../module/module.ts';
import { expandToolsets, faultOfCut, type ToolCut, type NamedTool } from '../tools/executor.ts';
import { readableMessage } from './readable-message.ts';
import { clientOfMessage, withClient } from './client-memory.ts';
import { eraOfRequest, eras } from './era.ts';
import { mcpTools } from './mcp-tools.ts';
import { defaultToolsets } from './tool-offer.ts';

/**
 * MCP over Streamable HTTP at `/mcp`, without sessions: every request has its token, and any process can serve it.
 * `?toolsets=a,b`, `?tools=a,b` and `?read-only` choose the tools, within those that the operator allows.
 */
export const mcpRoutes: SurfaceRoutes = (app, kernel, cut, guard) => {
  app.post(
    '/mcp',
    async ({ request }) => {
      guard(request);
      const asked = askedCut(request, cut, kernel.modules);
      const usual = { ...cut, toolsets: cut.toolsets ?? defaultToolsets(kernel.modules) };
      const chosen = asked instanceof Fault ? usual : asked;
      // Without a token the response says where to get one, before any other error of the address.
      const tools = await toolsFor(kernel, request, guard, chosen);
      if (tools instanceof Response) return tools;
      if (asked instanceof Fault) throw asked;
      const spent = rateFault(tools);
      const body = await messageOf(request, spent ? refusedLimits : messageLimits);
      if (body instanceof Response) return body;
      const { parsedBody } = body;
      const missing = missingScopes(tools, parsedBody, chosen.toolsets ?? []);
      if (missing) return insufficient(kernel, request, missing);
      // A call over the limit returns an error of its tool, which an agent can read; any other request gets the status 429.
      if (spent && !isCall(parsedBody)) throw spent;
      // The first message was counted with the request.
      if (Array.isArray(parsedBody)) parsedBody.slice(1).forEach(() => tools.countCall());
      const client = clientOfMessage(kernel.host, tools, request, parsedBody);
      const named = client === undefined ? tools : withClient(tools, client);
      const executor = spent ? { ...tools, call: () => Promise.reject(spent) } : named;
      const offered = mcpTools(executor, {
        modules: kernel.modules,
        cut: chosen,
        log: kernel.host.log,
      });
      const era = await eras[eraOfRequest(request, parsedBody)]();
      const answer = await era.answer(offered, request, parsedBody);
      // The transport sends no-cache, which still allows a cache to store the response.
      answer.headers.set('Cache-Control', 'no-store, no-transform');
      return answer;
    },
    {
      parse: 'none',
      detail: { summary: 'Model Context Protocol, Streamable HTTP', security: [{ bearer: [] }] },
    },
  );
  // There is no stream to resume and no session to end, so the protocol requires 405.
  for (const method of ['GET', 'DELETE'] as const) {
    app.route(
      method,
      '/mcp',
      ({ request }) => {
        guard(request);
        return new Response(null, { status: 405, headers: { Allow: 'POST' } });
      },
      { parse: 'none', detail: { hide: true } },
    );
  }
};

/** The scopes that a session must request before this message can succeed (MCP 2025-11-25, authorization, step-up); null for none. */
function missingScopes(
  tools: ServedTools,
  message: unknown,
  toolsets: readonly string[],
): readonly string[] | null {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } };
  if (method === 'tools/call' && typeof params?.name === 'string')
    return tools.missingScopes({ tool: params.name });
  return method === 'tools/list' ? tools.missingScopes({ toolsets }) : null;
}

function insufficient({ identity, host }: Kernel, request: Request, scopes: readonly string[]): Response {
  const fault = fail.FORBIDDEN(`This needs a token of the scopes ${scopes.join(' ')}.`, { cause: 'scopes' });
  const answer = faultAnswer(fault, { withTip: false });
  const challenge = identity.challenge?.(host, request, scopes, 'insufficient_scope');
  if (challenge !== undefined) answer.headers.set('WWW-Authenticate', challenge);
  return answer;
}

/** The tools of the caller, or the 401 that tells a client how to get a token (RFC 9728 §5.1). */
async function toolsFor(
  kernel: Kernel,
  request: Request,
  guard: (request: Request) => void,
  cut: ToolCut,
): Promise<ServedTools | Response> {
  try {
    return await servedTools(kernel, request, guard, cut, 'mcp');
  } catch (error) {
    const challenge = kernel.identity.challenge?.(kernel.host, request, cut.toolsets ?? []);
    if (!(error instanceof Fault) || error.status !== 401 || challenge === undefined) throw error;
    const answer = faultAnswer(error, { withTip: false });
    answer.headers.set('WWW-Authenticate', challenge);
    return answer;
  }
}

/** The body limits of a request that exceeds its rate limit: enough to identify the call. */
const refusedLimits: BodyLimits = { ...messageLimits, bytes: 64 * 1024 };

/** Counts the request. @returns the Fault when its token has no calls left. */
function rateFault(tools: ServedTools): Fault | undefined {
  try {
    tools.countCall();
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

const isCall = (message: unknown) => (message as { method?: unknown } | undefined)?.method === 'tools/call';

/**
 * The message of a request, or a JSON-RPC error response. It is read here and not by the transport, which would parse any 16 MiB in one
 * step. The transport itself refuses a request whose Content-Type is not JSON.
 */
async function messageOf(
  request: Request,
  limits: BodyLimits,
): Promise<{ readonly parsedBody?: unknown } | Response> {
  if (!isMediaType(request.headers.get('content-type'), 'application/json')) return {};
  try {
    const body = await readJson(request, limits);
    return { parsedBody: Array.isArray(body) ? body.map(readableMessage) : readableMessage(body) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const answer = faultAnswer(error, { withTip: false });
    const code = error.code === 'INVALID_JSON' ? parseError : transportError;
    const text = { jsonrpc: '2.0', error: { code, message: error.message }, id: null };
    return new Response(JSON.stringify(text), { status: answer.status, headers: answer.headers });
  }
}

/** JSON-RPC 2.0 §5.1. */
const parseError = -32700;

/** The code with which the SDK's transport refuses a request. */
const transportError = -32000;

const toolsetsOf = (tools: readonly string[], known: readonly NamedTool[]): readonly string[] => [
  ...new Set(known.filter(({ name }) => tools.includes(name)).map(({ toolset }) => toolset)),
];

/** The names of a list in the address; undefined for none. */
function namesIn(query: URLSearchParams, parameter: string): readonly string[] | undefined {
  const names = query
    .getAll(parameter)
    .flatMap((text) => text.split(','))
    .filter((name) => name !== '');
  if (names.some((name) => !/^[a-z][a-z0-9_-]{0,63}$/.test(name)))
    throw fail.INVALID_REQUEST(`${parameter} must be names separated by commas.`, { cause: parameter });
  return names.length === 0 ? undefined : names;
}

const parameters = ['toolsets', 'tools', 'read-only'];
const yes = new Set(['', '1', 'true', 'yes']);
const no = new Set(['0', 'false', 'no']);

/**
 * The tools chosen by the address, within what the operator allows. An unknown parameter is refused: `?readonly` must not offer tools that
 * write.
 */
function chosenCut(request: Request, cut: ToolCut, modules: readonly Module[]): ToolCut {
  const query = queryOf(request);
  const stranger = [...query.keys()].find((name) => !parameters.includes(name));
  if (stranger !== undefined)
    throw fail.INVALID_REQUEST(
      `There is no parameter "${stranger.slice(0, 64)}" at /mcp. Known: ${parameters.join(', ')}.`,
      { cause: 'query', tip: 'Write e.g. /mcp?toolsets=testmgmt,insights&read-only.' },
    );
  const readOnly = query.get('read-only')?.toLowerCase();
  if (readOnly !== undefined && !yes.has(readOnly) && !no.has(readOnly))
    throw fail.INVALID_REQUEST('read-only is true or false.', { cause: 'read-only' });
  const known = modules.flatMap(toolNamesOf);
  const tools = namesIn(query, 'tools');
  const toolsets = expandToolsets(namesIn(query, 'toolsets'), known);
  const fault = faultOfCut({ toolsets, tools }, known);
  if (fault)
    throw fail.INVALID_REQUEST(fault.replace(/^--/, ''), {
      cause: fault.startsWith('--toolsets') ? 'toolsets' : 'tools',
    });
  const within = (asked: readonly string[] | undefined, allowed: readonly string[] | undefined) =>
    asked && allowed ? asked.filter((name) => allowed.includes(name)) : (asked ?? allowed);
  return {
    // Tools given by name are offered regardless of their toolset.
    toolsets:
      within(toolsets ?? (tools && toolsetsOf(tools, known)), cut.toolsets) ?? defaultToolsets(modules),
    tools: within(tools, cut.tools),
    readOnly: cut.readOnly === true || (readOnly !== undefined && yes.has(readOnly)),
  };
}

/** Like {@link chosenCut}, but returns the error in the address instead of throwing it. */
function askedCut(request: Request, cut: ToolCut, modules: readonly Module[]): ToolCut | Fault {
  try {
    return chosenCut(request, cut, modules);
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}
