import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { CHART_FOLDER, renderTemplates, TEMPLATES_FOLDER } from '../../scripts/lib/chart.cjs';
import { ensureKubernetesTools } from '../../scripts/lib/kubernetes-tools.cjs';
import { objectsOf, type KubernetesObject } from '../../scripts/lib/kustomize.cjs';
import { schemaProblems } from '../support/deployment/kubernetes-schema';
import { renderOverlay } from '../support/deployment/kustomize';
import * as s from '../support/shape';

const run = promisify(execFile);

async function helm(...args: string[]): Promise<string> {
  const tools = await ensureKubernetesTools();
  const { stdout } = await run(tools.helm, args, { maxBuffer: 1 << 24 });
  return stdout;
}

let production: KubernetesObject[];
beforeAll(async () => {
  production = (await renderOverlay('production')).documents;
});

const namedShape = s.object({ kind: s.text(), metadata: s.object({ name: s.text() }) });
const withTemplateShape = s.object({
  template: s.object({ metadata: s.object({ annotations: s.dictionary(s.text()) }) }),
});

/** Objects by kind and name, without what only the chart has: annotations with hashes, and the number of the release. */
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
  const text = await helm('template', 'batuta', CHART_FOLDER, '--namespace', 'batuta');
  expect(byName(objectsOf(text))).toEqual(byName(wanted));
});

const leaves = (values: unknown, at: string[] = []): [path: string[], value: unknown][] =>
  typeof values === 'object' && values !== null
    ? Object.entries(values).flatMap(([key, value]) => leaves(value, [...at, key]))
    : [[at, values]];

test('every value of the chart has an effect, and the objects fit the schemas of Kubernetes with any values', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'batuta-chart-'));
  try {
    const defaults: unknown = parse(await readFile(join(CHART_FOLDER, 'values.yaml'), 'utf8'));
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

test('helm lint finds nothing to complain about', async () => {
  await expect(helm('lint', '--strict', CHART_FOLDER)).resolves.toContain('0 chart(s) failed');
});
