import type { Elysia } from 'elysia';
import type { Host } from '../../../core/host/host.ts';
import { jsonText } from '../../../core/http/answer/answer.ts';
import { fileResponse } from '../../../core/http/answer/file-response.ts';
import { refusalFor } from '../../../core/http/answer/refusal.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { hasBody, readJson, mebibyte } from '../../../core/http/request/body.ts';
import { manyRecords } from '../../../core/http/request/operation-limits.ts';
import { queryOf } from '../../../core/http/request/query.ts';
import type { CallerTools } from '../../../core/tools/executor.ts';
import { isFile } from '../../../core/tools/file-answer.ts';
import { namesOfUsers } from '../../auth/index.ts';
import { fail } from '../base/errors.ts';
import type { CheckmateRoute, Work } from './api-route.ts';
import { isAgentOf, refusalForm } from './refusal-form.ts';
import { readFields } from './request-field.ts';

type ToolsOf = (request: Request) => Promise<CallerTools>;

const base = '/api/v1/';
const hidden = { parse: 'none', detail: { hide: true } } as const;
const writeVerbs = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;
/** Bytes of a body that contains no list of records. */
const smallBody = mebibyte;

/** Adds the routes of the API of Checkmate. Every other path below `/api/v1/` has a JSON 404. */
export function mountApi(app: Elysia, host: Host, toolsOf: ToolsOf, routes: readonly CheckmateRoute[]): void {
  for (const route of routes) {
    const handler = ({ request }: { readonly request: Request }) => answerTo(request, host, toolsOf, route);
    const path = `${base}${route.path}`;
    if (route.verb === 'read') app.get(path, handler, hidden);
    else for (const verb of writeVerbs) app.route(verb, path, handler, hidden);
  }
  app.all(
    `${base}*`,
    ({ request }) =>
      refuse(
        request,
        host,
        fail.CHECKMATE_NO_ROUTE(`Not found: there is no ${request.method} route for this path.`),
      ),
    hidden,
  );
}

async function answerTo(
  request: Request,
  host: Host,
  toolsOf: ToolsOf,
  route: CheckmateRoute,
): Promise<Response> {
  try {
    const tools = await toolsOf(request);
    tools.countCall();
    const { work, warnings } = workOf(request, host, tools);
    const read = readFields(route.input, await givenTo(request, route));
    if (turnIsOver()) await nextTurn(request.signal);
    if ('mistakes' in read)
      throw fail.INVALID_REQUEST(`Data validation error: ${read.mistakes.join(', ')}.`, {
        tip: `${route.path} takes ${Object.keys(route.input).join(', ') || 'no parameters'}.`,
      });
    if (read.others.length > 0) work.warn(`Not used by ${route.path}: ${namesIn(read.others)}.`);
    const answer = await route.answer(read.input as never, work);
    if (isFile(answer)) return fileResponse(answer);
    const { data, status = 200 } = answer;
    const body = { data, error: null, status, ...(warnings.length > 0 && { warnings }) };
    const response = jsonText(JSON.stringify(body), { 'Cache-Control': 'no-store' });
    return status === 200 ? response : new Response(response.body, { status, headers: response.headers });
  } catch (error) {
    return refuse(request, host, error, route);
  }
}

/** Names that a client sent, within limits. */
const namesIn = (names: readonly string[]) =>
  names
    .slice(0, 20)
    .map((name) => name.slice(0, 64))
    .join(', ');

async function givenTo(request: Request, { verb, path, isLarge }: CheckmateRoute): Promise<unknown> {
  if (verb === 'read') return Object.fromEntries(queryOf(request));
  if (!hasBody(request))
    throw fail.INVALID_REQUEST('Request body is missing.', { tip: `Send ${path} a JSON object.` });
  return readJson(request, isLarge ? manyRecords : smallBody);
}

function workOf(request: Request, host: Host, tools: CallerTools) {
  const { signal } = request;
  const warnings: string[] = [];
  const key = request.headers.get('idempotency-key');
  let keyed = 0;
  // The operations of one request must not share a key.
  const keyOf = () => (keyed++ === 0 ? key : `${key}.${keyed}`);
  const call = async (name: string, input: object): Promise<unknown> => {
    const output = await tools.call(name, input, {
      signal,
      ...(key !== null && !isReading(name) && { idempotencyKey: keyOf() ?? key }),
    });
    // An answer may take many calls; on SQLite none of them waits for anything.
    if (turnIsOver()) await nextTurn(signal);
    return output;
  };
  const work: Work = {
    host,
    actor: tools.actor,
    signal,
    isAgent: isAgentOf(request.headers.get('user-agent')),
    call: (name, input) => call(name, input) as never,
    callNamed: (name, input) => call(name, input) as never,
    callForFile: (name, input) => call(name, input) as never,
    warn: (sentence) => void (warnings.includes(sentence) || warnings.push(sentence)),
    namesOf: async (ids) => {
      const asked = ids.filter((one): one is number => typeof one === 'number');
      const names = await namesOfUsers(host.db.q, asked);
      return (userId) => (typeof userId === 'number' ? (names.get(userId) ?? null) : null);
    },
  };
  return { work, warnings };
}

/** Calls that read take no number of a key: a repeated request may read differently. */
const isReading = (tool: string) => /^(?:get|list|download)-|^run-detail$/.test(tool);

function refuse(request: Request, host: Host, error: unknown, route?: CheckmateRoute): Response {
  const fault = refusalFor(host, request, error);
  const { httpStatus, body } = refusalForm(fault, {
    isAgent: isAgentOf(request.headers.get('user-agent')),
    ...(route?.statuses && { statuses: route.statuses }),
  });
  const headers: Record<string, string> = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
  if (fault.retryAfter !== undefined) headers['Retry-After'] = String(Math.ceil(fault.retryAfter));
  // Otherwise the server would still read the rest of the body.
  if (fault.code === 'SERVER_BUSY') headers['Connection'] = 'close';
  return new Response(JSON.stringify(body), { status: httpStatus, headers });
}
