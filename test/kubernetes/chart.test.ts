import Ajv from 'ajv';
import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { version } from '../../core/base/version.ts';
import { requireBuilt } from '../executable.ts';
import {
  expectAcceptedSettings,
  expectLeastRights,
  expectProbes,
  kubernetesExamples,
  manifestsIn,
  plainManifests,
  podIn,
  validateManifest,
  type Manifest,
} from './manifest-checks.ts';
import type { TemplateValue } from './template-parsing.ts';
import { renderTemplates } from './template-rendering.ts';

/*
 * examples/kubernetes/chart: with the values of the plain manifests it makes the plain manifests, and with other values what Kubernetes and
 * Trivet accept; its schema refuses the values that would not work.
 */
requireBuilt();

interface Values {
  readonly [key: string]: TemplateValue;
}

const chart = join(kubernetesExamples, 'chart');
const textOf = (file: string) => readFileSync(join(chart, file), 'utf8');
const usual = parse(textOf('values.yaml')) as Values;
const described = parse(textOf('Chart.yaml')) as Readonly<Record<'name' | 'version' | 'appVersion', string>>;
const templates = new Map(
  readdirSync(join(chart, 'templates')).map((name) => [name, textOf(join('templates', name))] as const),
);
const accepts = new Ajv({ allErrors: true, strict: true, strictTypes: false, strictRequired: false }).compile(
  JSON.parse(textOf('values.schema.json')) as object,
);

const isMap = (value: TemplateValue | undefined): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** As Helm lays the values of an installation over those of the chart: maps are merged, anything else is replaced. */
function laidOver(below: Values, above: Values): Values {
  const merged = Object.entries(above).map(([key, value]): readonly [string, TemplateValue] => {
    const former = below[key];
    return [key, isMap(value) && isMap(former) ? laidOver(former, value) : value];
  });
  return { ...below, ...Object.fromEntries(merged) };
}

/** @throws for values that the schema refuses, as Helm does. */
function installed(given: Values, release = 'trivet'): ReadonlyMap<string, string> {
  const values = laidOver(usual, given);
  if (!accepts(values)) {
    throw new Error(
      (accepts.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`).join('; '),
    );
  }
  return renderTemplates(templates, {
    Values: values,
    Chart: { Name: described.name, Version: described.version, AppVersion: described.appVersion },
    Release: { Name: release, Namespace: 'team', Service: 'Helm' },
  });
}

const manifestsOf = (given: Values, release?: string): readonly Manifest[] =>
  [...installed(given, release)].flatMap(([name, text]) => (name.endsWith('.yaml') ? manifestsIn(text) : []));

const image = { repository: 'registry.example/trivet' };
const publicUrl = 'https://trivet.example';
const onSqlite: Values = { image, publicUrl, sqlite: { replicate: { url: 's3://my-bucket/trivet' } } };
const onPostgres: Values = { image, publicUrl, database: 'postgres' };

const ofTheChart = new Set([
  'app.kubernetes.io/instance',
  'app.kubernetes.io/version',
  'app.kubernetes.io/managed-by',
]);

/** Without what only a chart has, and with entries that Kubernetes finds by their name in the order of their names. */
function comparable(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) {
    const entries = value.map((one) => comparable(one));
    const named = /^(env|volumes|volumeMounts)$/.test(key);
    return named ? entries.toSorted((one, other) => nameOf(one).localeCompare(nameOf(other))) : entries;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      // IfNotPresent is what Kubernetes takes for an image with a tag.
      .filter(
        ([name, one]) => !ofTheChart.has(name) && !(name === 'imagePullPolicy' && one === 'IfNotPresent'),
      )
      .map(([name, one]) => [name, comparable(one, name)]),
  );
}

const nameOf = (entry: unknown) => (entry as { readonly name: string }).name;
const byKind = (manifests: readonly Manifest[]) =>
  Object.fromEntries(manifests.map((manifest) => [manifest.kind, comparable(manifest)]));

describe.each([
  ['sqlite.yaml', onSqlite],
  ['postgres.yaml', onPostgres],
])('with the values of %s', (file, given) => {
  test('it makes the same manifests', () => {
    expect(byKind(manifestsOf(given))).toEqual(byKind(plainManifests(file)));
  });
});

const everything: Values = {
  imagePullSecrets: [{ name: 'my-registry' }],
  trustedProxies: 2,
  configSecret: 'trivet-config',
  extraEnv: [{ name: 'TRIVET_LOG_LEVEL', value: 'debug' }],
  terminationGracePeriodSeconds: 60,
  startSeconds: 3600,
  resources: { requests: { cpu: '1' } },
  service: { type: 'LoadBalancer', port: 8080 },
  ingress: {
    enabled: true,
    className: 'nginx',
    host: 'trivet.example',
    tlsSecret: 'trivet-tls',
    annotations: { 'example.org/size': '64m' },
  },
  podAnnotations: { 'example.org/scrape': 'true' },
  nodeSelector: { disk: 'ssd' },
  tolerations: [{ key: 'only', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
};

describe.each<readonly [string, Values, readonly string[]]>([
  ['SQLite', onSqlite, ['Service', 'StatefulSet']],
  [
    'SQLite without continuous backup',
    { image, publicUrl, sqlite: { replicate: { enabled: false } } },
    ['Service', 'StatefulSet'],
  ],
  [
    'SQLite and every value',
    {
      ...everything,
      ...onSqlite,
      sqlite: laidOver(onSqlite['sqlite'] as Values, { volume: { storageClassName: 'fast' } }),
    },
    ['Ingress', 'Service', 'StatefulSet'],
  ],
  ['PostgreSQL', onPostgres, ['Deployment', 'PodDisruptionBudget', 'Service']],
  ['PostgreSQL and one pod', { ...onPostgres, postgres: { replicas: 1 } }, ['Deployment', 'Service']],
  [
    'PostgreSQL and every value',
    { ...everything, ...onPostgres },
    ['Deployment', 'Ingress', 'PodDisruptionBudget', 'Service'],
  ],
])('%s', (_, given, expected) => {
  const manifests = manifestsOf(given, 'other');

  test('fits the schemas of Kubernetes, and all have the name of the release', () => {
    for (const manifest of manifests) {
      validateManifest(manifest);
      expect(manifest.metadata.name).toBe('other');
    }
    expect(manifests.map(({ kind }): string => kind).toSorted()).toEqual([...expected]);
  });

  test('has the rights, probes and settings of the plain manifests', async () => {
    expectLeastRights(manifests);
    expectProbes(manifests);
    await expectAcceptedSettings(manifests);
  });
});

test('every value has its place in what is rendered', () => {
  const rendered = JSON.stringify(
    manifestsOf({ ...everything, ...onPostgres, image: { ...image, tag: '9.9.9' } }),
  );
  for (const part of [
    '"image":"registry.example/trivet:9.9.9"',
    '"imagePullSecrets":[{"name":"my-registry"}]',
    '{"name":"TRIVET_TRUSTED_PROXIES","value":"2"}',
    '{"name":"TRIVET_LOG_LEVEL","value":"debug"}',
    '"secretName":"trivet-config"',
    '"terminationGracePeriodSeconds":60',
    '"failureThreshold":1800',
    '"resources":{"requests":{"cpu":"1","memory":"256Mi"},"limits":{"memory":"1Gi"}}',
    '"type":"LoadBalancer"',
    '"port":8080',
    '"ingressClassName":"nginx"',
    '"tls":[{"hosts":["trivet.example"],"secretName":"trivet-tls"}]',
    '"annotations":{"example.org/size":"64m"}',
    '"annotations":{"example.org/scrape":"true"}',
    '"nodeSelector":{"disk":"ssd"}',
    '"tolerations":[{"key":"only","operator":"Exists"}]',
    '"affinity":{"nodeAffinity":{}}',
  ]) {
    expect(rendered).toContain(part);
  }
});

test('the notes say how to make the first token, and that a volume may be the only copy', () => {
  const notes = (given: Values) => installed(given, 'other').get('NOTES.txt') ?? '';
  expect(notes(onSqlite)).toContain('kubectl -n team exec other-0 -- /trivet token create');
  expect(notes(onSqlite)).not.toContain('only copy');
  expect(notes({ ...onSqlite, sqlite: { replicate: { enabled: false } } })).toContain('only copy');
  expect(notes(onPostgres)).toContain('kubectl -n team exec deploy/other -- /trivet token create');
});

test.each<readonly [string, Values, RegExp]>([
  ['no value', {}, /\/image\/repository/],
  ['no public URL', { ...onSqlite, publicUrl: '' }, /\/publicUrl/],
  ['a public URL with a path', { ...onSqlite, publicUrl: 'https://trivet.example/x' }, /\/publicUrl/],
  ['no target', { image, publicUrl }, /\/sqlite\/replicate\/url/],
  [
    'a target that the pod has not',
    { ...onSqlite, sqlite: { replicate: { url: 'file:///x' } } },
    /\/sqlite\/replicate\/url/,
  ],
  ['another engine', { ...onSqlite, database: 'mysql' }, /\/database/],
  ['no pod', { ...onPostgres, postgres: { replicas: 0 } }, /\/postgres\/replicas/],
  [
    'too little time to stop',
    { ...onSqlite, terminationGracePeriodSeconds: 5 },
    /terminationGracePeriodSeconds/,
  ],
  ['an ingress without a host', { ...onSqlite, ingress: { enabled: true } }, /\/ingress\/host/],
  ['a mistyped value', { ...onSqlite, replicas: 3 }, /additional properties/],
  [
    'a number as the value of a variable',
    { ...onSqlite, extraEnv: [{ name: 'A', value: 1 }] },
    /\/extraEnv\/0\/value/,
  ],
])('%s is refused', (_, given, message) => {
  expect(() => installed(given)).toThrow(message);
});

test('the chart has the version of Trivet, and an image of it', () => {
  expect([described.version, described.appVersion]).toEqual([version, version]);
  expect(podIn(manifestsOf(onSqlite)).container.image).toBe(`registry.example/trivet:${version}`);
});
