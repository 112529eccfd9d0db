/** The parameters after `?`. Not `new URL(request.url)`: for an HTTP/1.0 request without Host, Bun's url is a bare path. */
export function queryOf(request: Request): URLSearchParams {
  const start = request.url.indexOf('?');
  return new URLSearchParams(start === -1 ? '' : request.url.slice(start + 1));
}
