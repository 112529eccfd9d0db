import { describe, expect, test } from 'bun:test';
import { requireBuilt } from '../executable.ts';
import {
  expectAcceptedSettings,
  expectLeastRights,
  expectProbes,
  plainManifests,
  validateManifest,
  type Manifest,
} from './manifest-checks.ts';

/* examples/kubernetes: each document fits the schemas of Kubernetes, runs with the least rights, and has settings that Trivet accepts. */
requireBuilt();

describe.each(['sqlite.yaml', 'postgres.yaml'])('%s', (file) => {
  const manifests = plainManifests(file);

  test('fits the schemas of Kubernetes', () => {
    expect(manifests.length).toBeGreaterThan(1);
    for (const manifest of manifests) validateManifest(manifest);
  });

  test('runs as the user of the image, with a read-only root, no capability and no token of the cluster', () => {
    expectLeastRights(manifests);
  });

  test('asks the routes of the server, on the port of the image, and waits until it has stopped', () => {
    expectProbes(manifests);
  });

  test('has settings that the server accepts', async () => {
    await expectAcceptedSettings(manifests);
  });
});

test('a wrong word is found', () => {
  const [service] = plainManifests('sqlite.yaml');
  if (!service) throw new Error('no document');
  const wrong = { ...service, spec: { ...service.spec, ports: [{ port: 'eighty' }] } };
  expect(() => validateManifest(wrong as Manifest)).toThrow(/port/);
});
