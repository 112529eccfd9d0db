import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { unpackTar } from 'modern-tar';
import manifest from '../package.json' with { type: 'json' };
import type { Entry } from './archive.ts';
import { sha256Of } from './checksum.ts';
import { formulaText } from './homebrew.ts';
import { foldersOf } from './image-root.ts';
import { imageConfig, imageLayout } from './image.ts';
import { targets } from './target.ts';

/*
 * The image as its readers see it: index, manifest, configuration and layers by their hashes. At a release, umoci and skopeo read the real
 * image (release/trial-image.ts).
 *
 * Mutation note: seen to fail when a layer is named by the hash of its compressed bytes in the configuration, when an architecture is left
 * out of the index, and when the image runs as root.
 */
const source = { version: '1.2.3', commit: 'abc', time: new Date('2026-01-02T03:04:05Z') };
const bytes = new TextEncoder().encode('an executable');
const layer = (what: string, entries: readonly Entry[]) => ({ what, entries });
const platforms = ['amd64', 'arm64'].map((architecture) => ({
  architecture,
  layers: [
    layer('below', [{ path: 'data', mode: 0o700, owner: 65_532 }]),
    layer('above', [{ path: 'trivet', bytes, mode: 0o755 }]),
  ],
}));

interface Descriptor {
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly architecture: string };
  readonly annotations?: Readonly<Record<string, string>>;
}

async function read() {
  const entries = await imageLayout(source, platforms);
  const at = (path: string) => entries.find((entry) => entry.path === path)?.bytes ?? new Uint8Array();
  const blob = ({ digest, size }: Descriptor) => {
    const found = at(`blobs/${digest.replace(':', '/')}`);
    expect([found.length, `sha256:${sha256Of(found)}`]).toEqual([size, digest]);
    return found;
  };
  const json = <T>(content: Uint8Array) => JSON.parse(new TextDecoder().decode(content)) as T;
  return { entries, at, blob, json };
}

test('one index of both architectures; each can be had by itself', async () => {
  const { at, blob, json } = await read();
  const top = json<{ manifests: readonly Descriptor[] }>(at('index.json'));
  const names = top.manifests.map(({ annotations }) => annotations?.['org.opencontainers.image.ref.name']);
  expect(names).toEqual(['1.2.3', '1.2.3-amd64', '1.2.3-arm64']);
  const [all, ...each] = top.manifests;
  const index = json<{ manifests: readonly Descriptor[] }>(blob(all ?? { digest: '', size: 0 }));
  expect(index.manifests.map(({ platform }) => platform?.architecture)).toEqual(['amd64', 'arm64']);
  expect(index.manifests.map(({ digest }) => digest)).toEqual(each.map(({ digest }) => digest));
});

test('each image has its layers, its user, and the command', async () => {
  const { at, blob, json } = await read();
  const [, ...each] = json<{ manifests: readonly Descriptor[] }>(at('index.json')).manifests;
  for (const [i, descriptor] of each.entries()) {
    const { config, layers } = json<{ config: Descriptor; layers: readonly Descriptor[] }>(blob(descriptor));
    const tars = layers.map((one) => Bun.gunzipSync(new Uint8Array(blob(one))));
    const about = json<Record<string, unknown>>(blob(config));
    expect(about).toMatchObject({
      architecture: ['amd64', 'arm64'][i],
      os: 'linux',
      created: '2026-01-02T03:04:05.000Z',
      rootfs: { type: 'layers', diff_ids: tars.map((tar) => `sha256:${sha256Of(tar)}`) },
      config: { ...imageConfig, Labels: { 'org.opencontainers.image.revision': 'abc' } },
    });
    const files = await Promise.all(tars.map((tar) => unpackTar(tar)));
    expect(files.flat().map(({ header: { name, mode, uid } }) => [name, mode, uid])).toEqual([
      ['data/', 0o700, 65_532],
      ['trivet', 0o755, 0],
    ]);
  }
  expect(imageConfig.User).toMatch(/^[1-9]\d*:[1-9]\d*$/);
});

test('the same input gives the same bytes', async () => {
  expect(await imageLayout(source, platforms)).toEqual(await imageLayout(source, platforms));
});

test('every folder above a file, once', () => {
  const files = ['a/b/c', 'a/b/d', 'e'].map((path) => ({ path, mode: 0o644 }));
  expect(foldersOf(files).map(({ path }) => path)).toEqual(['a', 'a/b']);
});

test('the compose file starts the image of this version, with a health check that fits the image', async () => {
  const file = Bun.file(join(import.meta.dir, '..', 'examples', 'compose', 'compose.yaml'));
  const { services } = Bun.YAML.parse(await file.text()) as {
    services: { trivet: { image: string; healthcheck: Record<string, unknown> } };
  };
  const { Test, Interval, Timeout, StartPeriod, Retries } = imageConfig.Healthcheck;
  expect(services.trivet.image).toBe(`\${TRIVET_IMAGE:-trivet:${manifest.version}}`);
  expect(services.trivet.healthcheck).toEqual({
    test: [...Test],
    interval: `${Interval / 1e9}s`,
    timeout: `${Timeout / 1e9}s`,
    start_period: `${StartPeriod / 1e9}s`,
    retries: Retries,
  });
});

const archives = targets.map(({ name, archive }) => ({
  target: name,
  file: `trivet-1.2.3-${name}.${archive}`,
  sha256: sha256Of(new TextEncoder().encode(name)),
}));

test('the formula has the archive and the hash of each platform of Homebrew', () => {
  const text = formulaText(source, archives, 'https://example.org/1.2.3/');
  const blocks = [...text.matchAll(/(on_\w+) do\n {6}url "(.*)"\n {6}sha256 "(.*)"/g)].map(
    ([, ...found]) => found,
  );
  const of = (name: string) => archives.find(({ target }) => target === name);
  const rows = [
    ['on_arm', 'darwin-arm64'],
    ['on_intel', 'darwin-x64'],
    ['on_arm', 'linux-arm64'],
    ['on_intel', 'linux-x64'],
  ] as const;
  expect(blocks).toEqual(
    rows.map(([cpu, name]) => [cpu, `https://example.org/1.2.3/${of(name)?.file}`, of(name)?.sha256 ?? '']),
  );
  expect(text).toContain('version "1.2.3"');
});

test('a formula without one of its archives is not written', () => {
  const some = archives.filter(({ target }) => target !== 'darwin-x64');
  expect(() => formulaText(source, some, 'https://example.org')).toThrow(/needs the archive of darwin-x64/);
});
