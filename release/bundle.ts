import type { Metafile } from './executable.ts';

/** An npm package that is contained in an executable, at least in part. */
interface BundledPackage {
  /** The path in package-lock.json, e.g. `node_modules/jose`. */
  readonly path: string;
  readonly name: string;
  /** The paths of the packages whose files its files import. */
  readonly imports: readonly string[];
}

export interface Bundle {
  readonly packages: readonly BundledPackage[];
  /** The packages that our own files import. */
  readonly imports: readonly string[];
  /** Every contained file of a package, e.g. `node_modules/pdfmake/build/vfs_fonts.js`. */
  readonly files: readonly string[];
}

const packagePattern = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

/**
 * The contained packages and their files, from the bundler's metafiles: the bundler omits unused files, which a list of dependencies would
 * include. The bundles of several platforms are combined.
 */
export function bundleOf(metafiles: readonly Metafile[]): Bundle {
  const inside = new Set(
    metafiles.flatMap(({ outputs }) =>
      Object.values(outputs).flatMap(({ inputs = {} }) =>
        Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
      ),
    ),
  );
  const importsOf = new Map<string, Set<string>>();
  const paths = new Set([...inside].flatMap((file) => packagePattern.exec(file)?.[0] ?? []));
  for (const { inputs } of metafiles)
    for (const [file, input] of Object.entries(inputs)) {
      if (!inside.has(file)) continue;
      const from = packagePattern.exec(file)?.[0] ?? '';
      const imports = importsOf.get(from) ?? new Set();
      importsOf.set(from, imports);
      for (const { path } of input?.imports ?? []) {
        const to = packagePattern.exec(path)?.[0];
        if (to !== undefined && to !== from && paths.has(to)) imports.add(to);
      }
    }
  const imported = (from: string) => [...(importsOf.get(from) ?? [])].toSorted();
  return {
    imports: imported(''),
    packages: [...paths]
      .toSorted()
      .map((path) => ({ path, name: path.replace(/^.*node_modules\//, ''), imports: imported(path) })),
    files: [...inside].filter((file) => packagePattern.test(file)).toSorted(),
  };
}
