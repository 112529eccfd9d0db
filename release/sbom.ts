import type { Bundle } from './bundle.ts';
import { carried } from './licence.ts';
import { locked, sha512Of, type Lockfile } from './lockfile.ts';
import type { Source } from './source.ts';
import type { Target } from './target.ts';

/** A package of Debian with files in the image. */
export interface ImagePackage {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
  readonly sha256: string;
}

interface Component {
  readonly 'bom-ref': string;
  readonly [field: string]: unknown;
}

/** The contents of a release, as CycloneDX 1.6. The same release gives the same bytes: nothing in it is random. */
export function sbomOf(
  source: Source,
  bundle: Bundle,
  lockfile: Lockfile,
  targets: readonly Target[],
  image: readonly ImagePackage[],
): string {
  const packages = bundle.packages.map(({ path, name }) => packageComponent(name, path, lockfile));
  const inside = carried
    .filter(({ file }) => bundle.files.includes(file))
    .map(({ name, version, licence, website }): Component => ({
      'bom-ref': `typeface:${name}@${version}`,
      type: 'data',
      name,
      version,
      licenses: [{ license: { id: licence } }],
      externalReferences: [{ type: 'website', url: website }],
    }));
  const runtimes = targets.map(({ runtime, name }) => ({
    ...packageComponent(runtime, `node_modules/${runtime}`, lockfile),
    description: `The runtime in the executable for ${name}; THIRD-PARTY-LICENSES.txt has the libraries that it links.`,
  }));
  const debian = image.map(imageComponent);
  const sdk = sdkComponent(source);
  const components: readonly Component[] = [...packages, ...inside, sdk, ...runtimes, ...debian];
  const self = `pkg:generic/trivet@${source.version}`;
  const refs = (paths: readonly string[]) =>
    paths
      .map((path) => refOf(path.replace(/^.*node_modules\//, ''), locked(lockfile, path).version))
      .toSorted();
  const content = {
    metadata: {
      timestamp: source.time.toISOString(),
      component: {
        'bom-ref': self,
        type: 'application',
        name: 'trivet',
        version: source.version,
        licenses: [{ license: { id: 'MIT' } }],
        properties: [{ name: 'trivet:commit', value: source.commit }],
      },
    },
    // A package may occur twice in the same version, at two paths.
    components: uniqueByRef(components),
    dependencies: uniqueDependencies([
      {
        ref: self,
        dependsOn: [
          ...refs(bundle.imports),
          ...[sdk, ...runtimes, ...debian].map((one) => one['bom-ref']),
        ].toSorted(),
      },
      ...bundle.packages.map(({ path, imports }) => ({
        ref: refs([path])[0] ?? '',
        dependsOn: refs(imports),
      })),
    ]),
  };
  const head = { bomFormat: 'CycloneDX', specVersion: '1.6', serialNumber: serialOf(content), version: 1 };
  return `${JSON.stringify({ ...head, ...content }, null, 2)}\n`;
}

/** A package URL (github.com/package-url/purl-spec, type npm): the @ of a scope is written as %40. */
const refOf = (name: string, version: string) => `pkg:npm/${name.replace(/^@/, '%40')}@${version}`;

function packageComponent(name: string, path: string, lockfile: Lockfile): Component {
  const { version, integrity, license } = locked(lockfile, path);
  const ref = refOf(name, version);
  const [scope, plain] = name.startsWith('@') ? (name.split('/') as [string, string]) : [undefined, name];
  return {
    'bom-ref': ref,
    type: 'library',
    ...(scope === undefined ? {} : { group: scope }),
    name: plain,
    version,
    hashes: [{ alg: 'SHA-512', content: sha512Of(integrity) }],
    ...(license === undefined ? {} : { licenses: [{ license: { id: license } }] }),
    purl: ref,
  };
}

/** Our own, an archive of the release and inside the executables. It has no dependencies. */
function sdkComponent({ version }: Source): Component {
  const ref = refOf('trivet-sdk', version);
  return {
    'bom-ref': ref,
    type: 'library',
    name: 'trivet-sdk',
    version,
    licenses: [{ license: { id: 'MIT' } }],
    purl: ref,
  };
}

function imageComponent({ name, version, architecture, sha256 }: ImagePackage): Component {
  const ref = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}`;
  return {
    'bom-ref': ref,
    type: 'library',
    name,
    version,
    description: 'Only in the image. Its copyright file is there too.',
    hashes: [{ alg: 'SHA-256', content: sha256 }],
    purl: ref,
  };
}

const uniqueByRef = (components: readonly Component[]) => [
  ...new Map(components.map((one) => [one['bom-ref'], one])).values(),
];

interface Dependency {
  readonly ref: string;
  readonly dependsOn: readonly string[];
}

const uniqueDependencies = (dependencies: readonly Dependency[]): readonly Dependency[] =>
  [...Map.groupBy(dependencies, ({ ref }) => ref)].map(([ref, same]) => ({
    ref,
    dependsOn: [...new Set(same.flatMap(({ dependsOn }) => dependsOn))].toSorted(),
  }));

/** A UUID of version 8 (RFC 9562 §5.8), derived from the contents of the list. */
function serialOf(content: unknown): string {
  const hash = new Bun.CryptoHasher('sha256').update(JSON.stringify(content)).digest('hex');
  const variant = ((Number.parseInt(hash[16] ?? '0', 16) & 3) | 8).toString(16);
  return `urn:uuid:${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-${variant}${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}
