/** Headers that CORS allows a page of an allowed origin to send to every route. Modules add their own (`corsHeaders`). */
const corsHeaders = [
  'authorization',
  'content-type',
  'idempotency-key',
  'x-file-name',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
];

/** Which pages may call the server (CORS), and the headers that modules add. */
export interface CorsOptions {
  readonly origins: readonly string[];
  readonly headers: readonly string[];
}

/** Whether a browser asks for a page of another origin if it may call the server. */
export const isPreflight = ({ method, headers }: Request): boolean =>
  method === 'OPTIONS' && headers.has('access-control-request-method');

/** The response to a preflight of an allowed origin, otherwise null: CORS is closed unless an origin is named. */
export function preflight(request: Request, { origins, headers }: CorsOptions): Response | null {
  if (!isPreflight(request)) return null;
  const origin = request.headers.get('origin');
  if (origin === null || !origins.includes(origin)) return null;
  return new Response(null, {
    status: 204,
    headers: {
      'Access-Control-Allow-Methods': 'GET, POST, PUT, DELETE',
      'Access-Control-Allow-Headers': [...corsHeaders, ...headers].join(', '),
      'Access-Control-Max-Age': '600',
    },
  });
}
