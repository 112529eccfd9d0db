/**
 * The parameters after `?`. Not by `new URL(request.url)`: a request of HTTP/1.0 need not name a host, and Bun then leaves
 * a bare path as its url.
 */
export function queryOf(request: Request): URLSearchParams {
  const start = request.url.indexOf('?');
  return new URLSearchParams(start === -1 ? '' : request.url.slice(start + 1));
}
