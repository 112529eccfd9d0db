import type { Fault } from '../../../core/base/errors.ts';

/** Checkmate's MCP server shows the message of a refusal only if it comes with HTTP 200 and without `data`. */
export const isAgentOf = (userAgent: string | null): boolean =>
  (userAgent ?? '').startsWith('Checkmate-MCP-Server/');

/** In Checkmate 403 means "not signed in" and 401 "not allowed". */
const swapped: Readonly<Record<number, number>> = { 401: 403, 403: 401 };

/** Checkmate's word for a name that is taken: its MCP server gives advice that fits. */
const taken = 'Entry Already Exists';

/** How a refusal is sent: the HTTP status, and the body. */
export function refusalForm(
  fault: Pick<Fault, 'code' | 'status' | 'message' | 'tip'>,
  {
    isAgent,
    statuses = {},
  }: { readonly isAgent: boolean; readonly statuses?: Readonly<Record<string, number>> },
): { readonly httpStatus: number; readonly body: { readonly error: string; readonly status: number } } {
  const own = swapped[fault.status] ?? fault.status;
  const sent = statuses[fault.code] ?? own;
  // Checkmate sends some refusals with HTTP 200. What the MCP server reads is the status inside.
  const status = sent === 200 ? own : sent;
  const isTaken = fault.code.endsWith('_EXISTS') && !fault.message.startsWith(taken);
  const message = isTaken ? `${taken}: ${fault.message} Conflict.` : fault.message;
  return { httpStatus: isAgent ? 200 : sent, body: { error: `${message} ${fault.tip}`, status } };
}
