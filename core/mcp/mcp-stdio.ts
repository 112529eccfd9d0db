import { toolBodyLimit } from '../http/request/body.ts';
import type { Log } from '../base/log.ts';
import { inputStream, writeAnswer } from '../base/standard-streams.ts';
import type { Executor } from '../tools/executor.ts';
import { readableMessage } from './readable-message.ts';
import { NotAMessage, type Session } from './era-adapter.ts';
import { membersOf } from './message-members.ts';
import { eraOfMessage, eras, isProbe, type EraName } from './era.ts';
import { readLines, LineTooLong } from './lines.ts';
import { mcpTools } from './mcp-tools.ts';
import type { ToolOffer } from './tool-offer.ts';

type RpcId = string | number | null;

interface RpcError {
  readonly code: number;
  readonly message: string;
}

/** JSON-RPC 2.0 §5.1. */
const parseError = { code: -32700, message: 'Parse error: the line is not a JSON document.' };
const invalidRequest = { code: -32600, message: 'Invalid Request: the line is not a JSON-RPC message.' };

const tooLong = { code: -32600, message: 'Invalid Request: the line is too long; the session ends.' };

/** The id that the client waits for; null if this is no request. An answer has an id of this server, not of the client. */
function idOfRequest(message: unknown): RpcId {
  const { id, method } = membersOf(message);
  if (method === undefined) return null;
  return typeof id === 'string' || Number.isSafeInteger(id) ? (id as string | number) : null;
}

/** The maximum length of a line: a call whose arguments are at their limit and escaped. */
const longestLine = 2 * toolBodyLimit;

/**
 * Serves MCP on stdin and stdout until the client closes its end; running calls finish first. Nothing else may write to stdout: the
 * console writes to stderr (modules/start.ts).
 */
export async function serveStdio(
  executor: Executor,
  { log, ...offer }: ToolOffer & { readonly log: Log },
  stopping: AbortSignal,
): Promise<void> {
  const underWay = new Set<symbol>();
  const counted: Executor = {
    ...executor,
    call: async (...call) => {
      const mark = Symbol('call');
      underWay.add(mark);
      try {
        return await executor.call(...call);
      } finally {
        underWay.delete(mark);
      }
    },
  };
  const ended = new AbortController();
  const end = () => ended.abort();
  stopping.addEventListener('abort', end, { once: true });
  const send = async (message: object) => {
    try {
      if (!(await writeAnswer(`${JSON.stringify(message)}\n`))) end();
    } catch {
      end();
    }
  };
  const onError = (error: Error) => log.warn('mcp_protocol_error', { error: error.name });
  /** The error for a line that is not a message. @param id of the request that it was meant to be, if it is known. */
  const refuse = (thrown: Error, error: RpcError, id: RpcId = null) => {
    onError(thrown);
    return send({ jsonrpc: '2.0', id, error });
  };

  const tools = mcpTools(counted, { ...offer, log });
  let session: Session | undefined;
  /** All opened connections: one that was only asked for the versions may still be responding. */
  const opened: Session[] = [];
  let era: EraName | undefined;
  let probed = true;
  /** The first message chooses the era. A client that has only asked for the versions may continue in the other one. */
  const sessionFor = async (message: unknown): Promise<Session> => {
    const asked = eraOfMessage(message);
    if (session && (asked === era || !probed)) return session;
    era = asked;
    const begun = await (await eras[era]()).open(tools, { send, onError });
    opened.push(begun);
    return begun;
  };
  const receive = async (line: string) => {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return refuse(error, parseError);
    }
    session = await sessionFor(message);
    probed &&= isProbe(message);
    try {
      session.receive(readableMessage(message));
    } catch (error) {
      if (!(error instanceof NotAMessage)) throw error;
      await refuse(error, invalidRequest, idOfRequest(message));
    }
  };
  try {
    for await (const line of readLines(inputStream(), longestLine, ended.signal)) await receive(line);
  } catch (error) {
    if (!(error instanceof LineTooLong)) throw error;
    await refuse(error, tooLong);
  }
  // A response is written one turn of the event loop after its call has ended.
  do await Bun.sleep(1);
  while (underWay.size > 0 && !stopping.aborted);
  await Promise.all(opened.map((one) => one.close()));
}
