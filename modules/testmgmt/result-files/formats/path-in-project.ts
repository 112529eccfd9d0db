/** Folders at which the part of a path begins that is the same on every machine. */
const startFolders: ReadonlySet<string> = new Set(
  'packages apps libs src test tests __tests__ spec specs e2e integration unit cypress'.split(' '),
);

/**
 * The path of a file in its project, from the absolute path that Jest, Vitest and Mocha write and no root: from the first folder with one
 * of the usual names on, else the name of the file. A path that is relative already stays.
 */
export function pathInProject(path: string): string {
  const parts = path.replaceAll('\\', '/').split('/');
  if (parts[0] !== '' && !/^[A-Za-z]:$/.test(parts[0] ?? '')) return parts.join('/').replace(/^\.\//, '');
  const start = parts.slice(0, -1).findIndex((part) => startFolders.has(part));
  return parts.slice(start < 0 ? -1 : start).join('/');
}
