import { describe, expect, test } from 'bun:test';
import { Deployment, StatefulSet } from 'kubernetes-models/apps/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { Service } from 'kubernetes-models/v1';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { imageUser } from '../release/image-root.ts';
import { imageConfig } from '../release/image.ts';
import { compiled, requireBuilt, runTrivet } from './executable.ts';
import { temporaryDirectory } from './temporary.ts';

/* examples/kubernetes: each document fits the schemas of Kubernetes, runs with the least rights, and has settings that Trivet accepts. */
requireBuilt();

const root = join(import.meta.dir, '..');
const kinds = { Service, StatefulSet, Deployment, PodDisruptionBudget } as const;

interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly env: ReadonlyArray<{ readonly name: string; readonly value: string }>;
  readonly ports: ReadonlyArray<{ readonly name: string; readonly containerPort: number }>;
  readonly securityContext: object;
  readonly volumeMounts: ReadonlyArray<{ readonly name: string; readonly mountPath: string }>;
  readonly readinessProbe: object;
  readonly livenessProbe: object;
}

interface Document {
  readonly apiVersion: string;
  readonly kind: keyof typeof kinds;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly template?: {
      readonly spec: {
        readonly containers: readonly Container[];
        readonly securityContext: object;
        readonly terminationGracePeriodSeconds: number;
        readonly automountServiceAccountToken: boolean;
      };
    };
  };
}

const documentsOf = (file: string): readonly Document[] =>
  parseAllDocuments(readFileSync(join(root, 'examples', 'kubernetes', file), 'utf8')).map((one) => {
    expect(one.errors).toEqual([]);
    return one.toJS() as Document;
  });

/** @throws what does not fit the schema of its kind. */
function validate(document: Document): void {
  const made = new kinds[document.kind](document as never);
  expect(`${document.apiVersion} ${document.kind}`).toBe(`${made.apiVersion} ${document.kind}`);
  made.validate();
}

describe.each(['sqlite.yaml', 'postgres.yaml'])('%s', (file) => {
  const documents = documentsOf(file);
  const pod = documents.flatMap(({ spec }) => spec.template?.spec ?? [])[0];
  const container = pod?.containers[0];
  if (!pod || !container) throw new Error(`${file} has no container`);

  test('fits the schemas of Kubernetes', () => {
    expect(documents.length).toBeGreaterThan(1);
    for (const document of documents) validate(document);
  });

  test('runs as the user of the image, with a read-only root, no capability and no token of the cluster', () => {
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
    expect(writable).toEqual(
      expect.arrayContaining([...Object.keys(imageConfig.Volumes), '/tmp']) as string[],
    );
  });

  test('asks the routes of the server, on the port of the image, and waits until it has stopped', () => {
    expect(container.readinessProbe).toMatchObject({ httpGet: { path: '/readyz', port: 'http' } });
    expect(container.livenessProbe).toMatchObject({ httpGet: { path: '/healthz', port: 'http' } });
    const [http] = container.ports;
    expect(Object.keys(imageConfig.ExposedPorts)).toEqual([`${http?.containerPort}/tcp`]);
    // Requests in flight get 10 s.
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(10);
  });

  test('has settings that the server accepts', async () => {
    const place = temporaryDirectory('kubernetes');
    const files: Readonly<Record<string, string>> = {
      '/replica/keys.toml': 'endpoint = "https://s3.example"\naccess-key-id = "a"\nsecret-access-key = "b"\n',
      '/secrets/database': 'postgres://trivet:secret@db.example/trivet\n',
      '/secrets/master-key': `${Buffer.alloc(32, 7).toString('base64')}\n`,
    };
    const env = Object.fromEntries(
      container.env.map(({ name, value }) => {
        const content = files[value];
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
    for (const { name } of container.env) expect(stdout).toContain(`# ${name}\n`);
    const wrong = await runTrivet(compiled, ['config', 'print', '--data', place], {
      env: { ...env, TRIVET_REPLICAT: 's3://b/c' },
    });
    expect(wrong.stderr).toContain('TRIVET_REPLICAT');
  });
});

test('a wrong word is found', () => {
  const [service] = documentsOf('sqlite.yaml');
  if (!service) throw new Error('no document');
  const wrong = { ...service, spec: { ...service.spec, ports: [{ port: 'eighty' }] } };
  expect(() => validate(wrong as Document)).toThrow(/port/);
});
