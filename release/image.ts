import { gzip, tarOf, type Entry } from './archive.ts';
import { imageUser } from './image-root.ts';
import type { Source } from './source.ts';

/*
 * An image as defined by the OCI (image-spec 1.1): content by its hash, and an index of both architectures. It is not written by umoci,
 * which cannot make an index of several platforms; umoci and skopeo read it in release/try.ts.
 */
const media = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
} as const;

/** The process that a container starts, and its user. */
export const imageConfig = {
  User: `${imageUser}:${imageUser}`,
  ExposedPorts: { '8787/tcp': {} },
  // In the environment, so that "docker exec NAME trivet token list" works on the same data.
  Env: ['PATH=/', 'TRIVET_DATA=/data', 'TRIVET_HOST=0.0.0.0'],
  Entrypoint: ['/trivet'],
  Cmd: ['serve'],
  Volumes: { '/data': {} },
  WorkingDir: '/data',
  StopSignal: 'SIGTERM',
  // Not part of the OCI specification, which reserves the name for Docker. Times are nanoseconds.
  Healthcheck: {
    Test: ['CMD', '/trivet', 'healthcheck'],
    Interval: 30e9,
    Timeout: 15e9,
    StartPeriod: 60e9,
    Retries: 3,
  },
} as const;

interface PlatformImage {
  readonly architecture: string;
  /** The layers, bottom first. */
  readonly layers: ReadonlyArray<{ readonly what: string; readonly entries: readonly Entry[] }>;
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

/** The files of an OCI layout with one image for several architectures. The same input gives the same bytes. */
export async function imageLayout(
  { version, commit, time }: Source,
  platforms: readonly PlatformImage[],
): Promise<readonly Entry[]> {
  const blobs = new Map<string, Uint8Array>();
  const keep = (mediaType: string, content: unknown): Descriptor => {
    const bytes = content instanceof Uint8Array ? content : new TextEncoder().encode(JSON.stringify(content));
    const hash = new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
    blobs.set(hash, bytes);
    return { mediaType, digest: `sha256:${hash}`, size: bytes.length };
  };
  const labels = {
    'org.opencontainers.image.title': 'trivet',
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.revision': commit,
    'org.opencontainers.image.licenses': 'MIT',
  };
  const created = time.toISOString();

  const manifests: Array<Descriptor & { platform: { os: string; architecture: string } }> = [];
  for (const { architecture, layers } of platforms) {
    const made: Array<{ readonly layer: Descriptor; readonly diffId: string }> = [];
    for (const { entries } of layers) {
      const tar = await tarOf(entries, time);
      const diffId = `sha256:${new Bun.CryptoHasher('sha256').update(tar).digest('hex')}`;
      made.push({ diffId, layer: keep(media.layer, gzip(tar)) });
    }
    const config = keep(media.config, {
      created,
      architecture,
      os: 'linux',
      config: { ...imageConfig, Labels: labels },
      rootfs: { type: 'layers', diff_ids: made.map(({ diffId }) => diffId) },
      history: layers.map(({ what }) => ({ created, created_by: what })),
    });
    const manifest = {
      schemaVersion: 2,
      mediaType: media.manifest,
      config,
      layers: made.map(({ layer }) => layer),
    };
    manifests.push({ ...keep(media.manifest, manifest), platform: { os: 'linux', architecture } });
  }
  const named = (descriptor: Descriptor, name: string) => ({
    ...descriptor,
    annotations: { 'org.opencontainers.image.ref.name': name },
  });
  const all = keep(media.index, { schemaVersion: 2, mediaType: media.index, manifests });
  const index = {
    schemaVersion: 2,
    mediaType: media.index,
    // Each architecture also has its own name: not every tool follows an index within an index.
    manifests: [
      named(all, version),
      ...manifests.map((one) => named(one, `${version}-${one.platform.architecture}`)),
    ],
  };
  const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
  return [
    { path: 'blobs', mode: 0o755 },
    { path: 'blobs/sha256', mode: 0o755 },
    ...[...blobs].map(([hash, bytes]) => ({ path: `blobs/sha256/${hash}`, bytes, mode: 0o644 })),
    { path: 'index.json', bytes: json(index), mode: 0o644 },
    { path: 'oci-layout', bytes: json({ imageLayoutVersion: '1.0.0' }), mode: 0o644 },
  ];
}
