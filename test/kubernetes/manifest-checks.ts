import { expect } from 'bun:test';
import { Deployment, StatefulSet } from 'kubernetes-models/apps/v1';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { Service } from 'kubernetes-models/v1';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { imageUser } from '../../release/image-root.ts';
import { imageConfig } from '../../release/image.ts';
import { compiled, runTrivet } from '../executable.ts';
import { temporaryDirectory } from '../temporary.ts';

/* What holds for every manifest of examples/kubernetes, whether it is written out or rendered from the chart. */
export const kubernetesExamples = join(import.meta.dir, '..', '..', 'examples', 'kubernetes');

const kinds = { Service, StatefulSet, Deployment, PodDisruptionBudget, Ingress } as const;

interface ManifestContainer {
  readonly image: string;
  readonly args: readonly string[];
  readonly env: ReadonlyArray<{ readonly name: string; readonly value: string }>;
  readonly ports: ReadonlyArray<{ readonly name: string; readonly containerPort: number }>;
  readonly securityContext: object;
  readonly volumeMounts: ReadonlyArray<{ readonly name: string; readonly mountPath: string }>;
  readonly readinessProbe: object;
  readonly livenessProbe: object;
}

interface ManifestPod {
  readonly containers: readonly ManifestContainer[];
  readonly securityContext: object;
  readonly terminationGracePeriodSeconds: number;
  readonly automountServiceAccountToken: boolean;
}

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: keyof typeof kinds;
  readonly metadata: { readonly name: string };
  readonly spec: { readonly template?: { readonly spec: ManifestPod } };
}

export const manifestsIn = (text: string): readonly Manifest[] =>
  parseAllDocuments(text)
    .filter(({ contents }) => contents !== null)
    .map((one) => {
      expect(one.errors).toEqual([]);
      return one.toJS() as Manifest;
    });

export const plainManifests = (file: string): readonly Manifest[] =>
  manifestsIn(readFileSync(join(kubernetesExamples, file), 'utf8'));

/** @throws what does not fit the schema of its kind. */
export function validateManifest(manifest: Manifest): void {
  const made = new kinds[manifest.kind](manifest as never);
  expect(`${manifest.apiVersion} ${manifest.kind}`).toBe(`${made.apiVersion} ${manifest.kind}`);
  made.validate();
}

export function podIn(manifests: readonly Manifest[]): {
  readonly pod: ManifestPod;
  readonly container: ManifestContainer;
} {
  const pod = manifests.flatMap(({ spec }) => spec.template?.spec ?? [])[0];
  const container = pod?.containers[0];
  if (!pod || !container) throw new Error('no manifest has a container');
  return { pod, container };
}

/** As the user of the image, with a read-only root, no capability and no token of the cluster. */
export function expectLeastRights(manifests: readonly Manifest[]): void {
  const { pod, container } = podIn(manifests);
  expect(pod.securityContext).toMatchObject({
    runAsNonRoot: true,
    runAsUser: imageUser,
    seccompProfile: { type: 'RuntimeDefault' },
  });
  expect(container.securityContext).toEqual({
    readOnlyRootFilesystem: true,
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
  });
  expect(pod.automountServiceAccountToken).toBe(false);
  const writable = container.volumeMounts.map(({ mountPath }) => mountPath);
  expect(writable).toEqual(expect.arrayContaining([...Object.keys(imageConfig.Volumes), '/tmp']) as string[]);
}

/** Asks the routes of the server, on the port of the image, and waits until it has stopped. */
export function expectProbes(manifests: readonly Manifest[]): void {
  const { pod, container } = podIn(manifests);
  expect(container.readinessProbe).toMatchObject({ httpGet: { path: '/readyz', port: 'http' } });
  expect(container.livenessProbe).toMatchObject({ httpGet: { path: '/healthz', port: 'http' } });
  const [http] = container.ports;
  expect(Object.keys(imageConfig.ExposedPorts)).toEqual([`${http?.containerPort}/tcp`]);
  // Requests in flight get 10 s.
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(10);
}

const mounted: Readonly<Record<string, string>> = {
  '/replica/keys.toml': 'endpoint = "https://s3.example"\naccess-key-id = "a"\nsecret-access-key = "b"\n',
  '/secrets/database': 'postgres://trivet:secret@db.example/trivet\n',
  '/secrets/master-key': `${Buffer.alloc(32, 7).toString('base64')}\n`,
  '/config/trivet.toml': 'log-level = "warn"\n',
};

/** The executable takes each variable of the container, and would not take a mistyped one. */
export async function expectAcceptedSettings(manifests: readonly Manifest[]): Promise<void> {
  const { container } = podIn(manifests);
  const place = temporaryDirectory('kubernetes');
  const env = Object.fromEntries(
    container.env.map(({ name, value }) => {
      const content = mounted[value];
      if (content === undefined) return [name, value];
      const path = join(place, value.replaceAll('/', '-'));
      writeFileSync(path, content, { mode: 0o600 });
      return [name, path];
    }),
  );
  const { stdout, stderr, exitCode } = await runTrivet(compiled, ['config', 'print', '--data', place], {
    env,
  });
  expect([stderr, exitCode]).toEqual(['', 0]);
  for (const { name } of container.env) {
    if (name !== 'TRIVET_CONFIG') expect(stdout).toContain(`# ${name}\n`);
  }
  const wrong = await runTrivet(compiled, ['config', 'print', '--data', place], {
    env: { ...env, TRIVET_REPLICAT: 's3://b/c' },
  });
  expect(wrong.stderr).toContain('TRIVET_REPLICAT');
}
