/** A route as it was declared, e.g. `/v1/auth/sessions/:id`. */
interface DeclaredRoute {
  readonly path: string;
}

/** The pattern of every path without a route. */
const noRoute = '(none)';

/** Finds the pattern of a path, for metrics, access log and traces: one of a few dozen words, whatever clients ask for. */
export function routePatterns(routes: readonly DeclaredRoute[]): (path: string) => string {
  const fixed = new Map<string, string>();
  const open: Array<{ readonly parts: readonly string[]; readonly pattern: string }> = [];
  for (const { path } of routes) {
    const pattern = withoutSlash(path);
    if (pattern.includes(':') || pattern.includes('*')) open.push({ parts: pattern.split('/'), pattern });
    else fixed.set(pattern, pattern);
  }
  return (given) => {
    const path = withoutSlash(given);
    const known = fixed.get(path);
    if (known !== undefined) return known;
    const parts = path.split('/');
    return open.find((one) => matches(one.parts, parts))?.pattern ?? noRoute;
  };
}

const withoutSlash = (path: string) => (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path);

const matches = (pattern: readonly string[], parts: readonly string[]): boolean =>
  pattern.every(
    (part, i) => part === '*' || (part.startsWith(':') && parts[i] !== '') || part === parts[i],
  ) &&
  (pattern.length === parts.length || (pattern.at(-1) === '*' && parts.length > pattern.length));

/** The path of a URL, without its query. */
export function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('//') + 2);
  if (start < 0) return '/';
  const query = url.indexOf('?', start);
  return query < 0 ? url.slice(start) : url.slice(start, query);
}
