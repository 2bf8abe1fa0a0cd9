import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect, promisify } from 'node:util';
import { parse } from 'yaml';
import { CHART_FOLDER, renderTemplates, TEMPLATES_FOLDER } from '../../scripts/lib/chart.cjs';
import { ensureKubernetesTools } from '../../scripts/lib/kubernetes-tools.cjs';
import { objectsOf, type KubernetesObject } from '../../scripts/lib/kustomize.cjs';
import { chartSchema } from '../support/deployment/chart-schema';
import { schemaProblems } from '../support/deployment/kubernetes-schema';
import { renderOverlay } from '../support/deployment/kustomize';
import type { Manifest } from '../support/deployment/manifest';
import { SERVICES } from '../support/deployment/settings';
import * as s from '../support/shape';

const run = promisify(execFile);
const SCHEMA_FILE = join(CHART_FOLDER, 'values.schema.json');

async function helm(...args: string[]): Promise<string> {
  const tools = await ensureKubernetesTools();
  const { stdout } = await run(tools.helm, args, { maxBuffer: 1 << 24 });
  return stdout;
}

let production: KubernetesObject[];
let manifests: Manifest[];
let defaults: object;
beforeAll(async () => {
  ({ documents: production, manifests } = await renderOverlay('production'));
  defaults = Object(parse(await readFile(join(CHART_FOLDER, 'values.yaml'), 'utf8')));
});

/** The objects that Helm renders from the chart in the namespace batuta; `values` is the content of a file of values. */
async function renderChart(values: object = {}): Promise<KubernetesObject[]> {
  const folder = await mkdtemp(join(tmpdir(), 'batuta-chart-'));
  const file = join(folder, 'values.json');
  try {
    await writeFile(file, JSON.stringify(values));
    return objectsOf(await helm('template', 'batuta', CHART_FOLDER, '--namespace', 'batuta', '--values', file));
  } finally {
    await rm(folder, { recursive: true });
  }
}

const namedShape = s.object({ kind: s.text(), metadata: s.object({ name: s.text() }) });
const withTemplateShape = s.object({
  template: s.object({ metadata: s.object({ annotations: s.dictionary(s.text()) }) }),
});

/** Objects by kind and name, without the parts that only the chart has: annotations with hashes, and the number of the release. */
function byName(objects: KubernetesObject[]): Record<string, KubernetesObject> {
  return Object.fromEntries(
    objects.map((object) => {
      const copy: KubernetesObject = structuredClone(object);
      const { spec } = copy;
      if (withTemplateShape.matches(spec)) Reflect.deleteProperty(spec.template.metadata, 'annotations');
      const { kind, metadata } = namedShape.parse(copy);
      const name = metadata.name.replace(/^migrate-\d+$/, 'migrate');
      return [`${kind} ${name}`, { ...copy, metadata: { ...Object(copy['metadata']), name } }];
    }),
  );
}

test('the templates of the chart are made from the overlay production as it is; if not, run `node scripts/helm.mjs`', async () => {
  const made = await renderTemplates(production);
  const files = await readdir(TEMPLATES_FOLDER);
  const kept = await Promise.all(
    files.map(async (name) => [name, await readFile(join(TEMPLATES_FOLDER, name), 'utf8')] as const),
  );
  expect(Object.fromEntries(kept)).toEqual(made);
});

test('the chart with its default values is the overlay production, without its namespace and its Secrets', async () => {
  const wanted = production.filter(({ kind }) => kind !== 'Namespace' && kind !== 'Secret');
  expect(byName(await renderChart())).toEqual(byName(wanted));
});

test('settings and the way to a collector of traces are the same in the chart and in an overlay', async () => {
  const { documents } = await renderOverlay('production', (text) =>
    `${text.replace('literals: [LOG_LEVEL=info]', 'literals: [LOG_LEVEL=warn, OTEL_EXPORTER_OTLP_ENDPOINT=http://collector.traces:4318]')}
components: [../../components/traces, ../../components/traces-login]
`.replace(
      'patches:\n',
      `patches:
  - target: { kind: Deployment, name: execution }
    patch: |
      - op: add
        path: /spec/template/spec/containers/0/env/-
        value: { name: SWEEP_MS, value: '5000' }
`,
    ),
  );
  const rendered = await renderChart({
    settings: { LOG_LEVEL: 'warn', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.traces:4318' },
    serviceSettings: { execution: { SWEEP_MS: '5000' } },
    secrets: { traces: 'batuta-traces' },
  });
  const wanted = documents.filter(({ kind }) => kind !== 'Namespace' && kind !== 'Secret');
  expect(Object.keys(byName(wanted))).toContain('NetworkPolicy to-collector');
  expect(byName(rendered.map(sorted))).toEqual(byName(wanted.map(sorted)));
  expect(rendered.flatMap(schemaProblems)).toEqual([]);
});

test('the chart lets pods ask the DNS of a cluster that has it in another namespace and on another port', async () => {
  const policies = byName(await renderChart({ names: { namespace: 'openshift-dns', port: 5353 } }));
  const text = JSON.stringify(policies['NetworkPolicy names']);
  expect(text).toContain('"kubernetes.io/metadata.name":"openshift-dns"');
  expect(text.match(/"port":\d+/g)).toEqual(['"port":5353', '"port":5353']);
});

test('the chart gives the pods of all services, and no other pod, the time to stop that its value says', async () => {
  const objects = await renderChart({ terminationGracePeriodSeconds: 300 });
  const patient = Object.entries(byName(objects)).filter(([, object]) =>
    JSON.stringify(object).includes('"terminationGracePeriodSeconds":300'),
  );
  expect(patient.map(([name]) => name).toSorted()).toEqual(SERVICES.map((name) => `Deployment ${name}`).toSorted());
});

test('without an age of queues the services of the chart scale by processor time alone', async () => {
  const objects = await renderChart({ scaling: { queueAgeSeconds: 0 } });
  const text = JSON.stringify(objects.filter(({ kind }) => kind === 'HorizontalPodAutoscaler'));
  expect(text.match(/"type":"(?:Resource|External)"/g)).toEqual(SERVICES.map(() => '"type":"Resource"'));
  expect(objects.flatMap(schemaProblems)).toEqual([]);
});

const variablesShape = s.object({ kind: s.exactly('Deployment') });

/** A Deployment with its variables and its secrets sorted, because kustomize and the chart put them in a different order. */
function sorted(object: KubernetesObject): KubernetesObject {
  if (!variablesShape.matches(object)) return object;
  const textOf = (value: unknown) => inspect(value, { sorted: true, depth: null });
  const sortLists = (_key: string, value: unknown) =>
    Array.isArray(value) ? value.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1)) : value;
  return JSON.parse(JSON.stringify(object, sortLists));
}

test('Helm knows the values and the settings of the services; if not, run this test with UPDATE_SETTINGS=1', async () => {
  const schema = await chartSchema(defaults, manifests);
  if (process.env['UPDATE_SETTINGS']) await writeFile(SCHEMA_FILE, `${JSON.stringify(schema, null, 2)}\n`);
  const kept: unknown = JSON.parse(await readFile(SCHEMA_FILE, 'utf8'));
  expect(kept).toEqual(schema);
});

test.each<[string, object, RegExp]>([
  ['a misspelt setting', { settings: { LOG_LEVL: 'warn' } }, /LOG_LEVL/],
  ['a misspelt value', { setings: { LOG_LEVEL: 'warn' } }, /setings/],
  ['a setting of another service', { serviceSettings: { gateway: { SWEEP_MS: '5000' } } }, /SWEEP_MS/],
  ['a setting whose meaning differs between services', { settings: { SWEEP_MS: '5000' } }, /SWEEP_MS/],
  ['a setting that another value sets', { settings: { TRUST_PROXY: '2' } }, /TRUST_PROXY/],
  ['a secret', { settings: { SECRET_KEYS: 'k1:x' } }, /SECRET_KEYS/],
  [
    'a number, which Helm would write with an exponent',
    { settings: { QUOTA_PROCESSES: 1_000_000 } },
    /QUOTA_PROCESSES/,
  ],
])('Helm refuses %s', async (_what, values, message) => {
  await expect(renderChart(values)).rejects.toThrow(message);
});

const leaves = (values: unknown, at: string[] = []): [path: string[], value: unknown][] =>
  typeof values === 'object' && values !== null
    ? Object.entries(values).flatMap(([key, value]) => leaves(value, [...at, key]))
    : [[at, values]];

test('every value of the chart has an effect, and the objects fit the schemas of Kubernetes with any values', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'batuta-chart-'));
  try {
    const changed = leaves(defaults).map(([path, value], n) => {
      const other = typeof value === 'number' ? 1_000 + n : `changed-${n}.example.org`;
      return { path, other };
    });
    const values = {};
    for (const { path, other } of changed) setAt(values, path, other);
    const file = join(folder, 'values.json');
    await writeFile(file, JSON.stringify(values));
    const text = await helm('template', 'batuta', CHART_FOLDER, '--namespace', 'elsewhere', '--values', file);
    const without = changed.filter(({ other }) => !text.includes(String(other))).map(({ path }) => path.join('.'));
    expect(without).toEqual([]);
    expect(objectsOf(text).flatMap(schemaProblems)).toEqual([]);
    expect(text).not.toMatch(/example\.com|namespace: batuta|sha256:0000/);
  } finally {
    await rm(folder, { recursive: true });
  }
});

function setAt(target: object, [key = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) {
    Reflect.set(target, key, value);
    return;
  }
  const inner: unknown = Reflect.get(target, key);
  const next = typeof inner === 'object' && inner !== null ? inner : {};
  Reflect.set(target, key, next);
  setAt(next, rest, value);
}

test('helm lint finds nothing to complain about in the chart', async () => {
  await expect(helm('lint', '--strict', CHART_FOLDER)).resolves.toContain('0 chart(s) failed');
});
