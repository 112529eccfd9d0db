import type { Fault } from '../../../core/base/errors.ts';

/** Checkmate's MCP server shows the message of a refusal only if it comes with HTTP 200 and without `data`. */
export const isAgentOf = (userAgent: string | null): boolean =>
  (userAgent ?? '').startsWith('Checkmate-MCP-Server/');

/** In Checkmate 403 means "not signed in" and 401 "not allowed". */
const swapped: Readonly<Record<number, number>> = { 401: 403, 403: 401 };

/** How a refusal is sent: the HTTP status, and the body. */
export function refusalForm(
  fault: Pick<Fault, 'code' | 'status' | 'message' | 'tip'>,
  {
    isAgent,
    statuses = {},
  }: { readonly isAgent: boolean; readonly statuses?: Readonly<Record<string, number>> },
): { readonly httpStatus: number; readonly body: { readonly error: string; readonly status: number } } {
  const status = statuses[fault.code] ?? swapped[fault.status] ?? fault.status;
  return { httpStatus: isAgent ? 200 : status, body: { error: `${fault.message} ${fault.tip}`, status } };
}
