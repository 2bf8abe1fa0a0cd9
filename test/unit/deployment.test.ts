import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BREAKAGES } from '../support/deployment/breakages';
import { schemaProblems } from '../support/deployment/kubernetes-schema';
import { OVERLAYS, renderOverlay, type Overlay, type RenderedOverlay } from '../support/deployment/kustomize';
import { ofKind, type PodSpec } from '../support/deployment/manifest';
import { replicasOf } from '../support/deployment/manifest-parts';
import { ALL_RULES, PRODUCTION_RULES, RULES } from '../support/deployment/rules';
import { ROOT } from '../support/deployment/settings';
import { MAX_CONNECTIONS, QUEUE_AGE_METRIC } from '../support/deployment/wiring-rules';

let rendered: Record<Overlay, RenderedOverlay>;
beforeAll(async () => {
  const [local, production] = await Promise.all(OVERLAYS.map((overlay) => renderOverlay(overlay)));
  if (!local || !production) throw new Error('not all overlays are rendered');
  rendered = { local, production };
});

/** A copy, which a test may change. */
const copyManifests = (overlay: Overlay) => structuredClone(rendered[overlay].manifests);

describe.each(OVERLAYS)('the overlay %s', (overlay) => {
  test.each(Object.entries(RULES))('an overlay keeps the rule: %s', (_name, rule) => {
    expect(rule(copyManifests(overlay))).toEqual([]);
  });

  test('an overlay has only objects and fields that the schemas of Kubernetes have', () => {
    expect(rendered[overlay].documents.flatMap(schemaProblems)).toEqual([]);
  });

  test('an overlay has every object in the namespace, except the namespace itself', () => {
    const outside = copyManifests(overlay).filter(({ metadata }) => metadata.namespace !== 'batuta');
    expect(outside.map(({ kind }) => kind)).toEqual(['Namespace']);
  });

  test('an overlay has pods that the namespace admits, which enforces the restricted Pod Security Standard', () => {
    const [namespace] = ofKind(copyManifests(overlay), 'Namespace');
    expect(namespace?.metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
  });
});

test.each(Object.entries(PRODUCTION_RULES))('the overlay production keeps the rule: %s', (_name, rule) => {
  expect(rule(copyManifests('production'))).toEqual([]);
});

test.each([
  ['local', 'ConfigMap CronJob Deployment Job Namespace NetworkPolicy PodDisruptionBudget Secret Service StatefulSet'],
  [
    'production',
    'ConfigMap CronJob Deployment HorizontalPodAutoscaler Ingress Job Namespace NetworkPolicy PodDisruptionBudget Secret Service StatefulSet',
  ],
] as const)('every file of the overlay %s is part of it', (overlay, expected) => {
  const kinds = new Set(copyManifests(overlay).map(({ kind }) => kind));
  expect([...kinds].toSorted()).toEqual(expected.split(' '));
});

test.each<[string, (object: Record<string, unknown>) => void]>([
  ['a misspelt field', ({ spec }) => Object.assign(spec ?? {}, { replica: 2 })],
  ['a misspelt field deep inside', ({ spec }) => Object.assign(spec ?? {}, { template: { spec: { container: [] } } })],
  ['a value of another type', ({ spec }) => Object.assign(spec ?? {}, { replicas: 'two' })],
  ['no required field', ({ spec }) => Object.assign(spec ?? {}, { selector: undefined })],
  ['an unknown version', (object) => Object.assign(object, { apiVersion: 'apps/v2' })],
])('the schemas of Kubernetes refuse a Deployment with %s', (_what, breakIt) => {
  const deployment = rendered.local.documents.find(({ kind }) => kind === 'Deployment');
  const copy = structuredClone(deployment ?? {});
  breakIt(copy);
  expect(schemaProblems(copy)).not.toEqual([]);
});

test('a database outside has the connections that the documentation asks for', async () => {
  expect(await readFile(join(ROOT, 'docs', 'deployment.md'), 'utf8')).toContain(`${MAX_CONNECTIONS} connections`);
});

/** The processors that a pod requests, in thousandths. */
const requestOf = ({ containers }: PodSpec) =>
  containers.reduce((sum, { resources }) => {
    const [, number = '0', unit] = /^([\d.]+)(m?)$/.exec(resources?.requests.cpu ?? '') ?? [];
    return sum + Number(number) * (unit === 'm' ? 1 : 1_000);
  }, 0);
const sumOf = (numbers: number[]) => numbers.reduce((sum, each) => sum + each, 0);

test('the documentation says how many processors the pods of the overlay production request, and how many more while they are replaced', async () => {
  const manifests = copyManifests('production');
  const deployments = ofKind(manifests, 'Deployment');
  const kept = sumOf([
    ...deployments.map((one) => replicasOf(one, manifests).least * requestOf(one.spec.template.spec)),
    ...ofKind(manifests, 'StatefulSet').map(({ spec }) => spec.replicas * requestOf(spec.template.spec)),
  ]);
  const further = sumOf([
    ...deployments.map(({ spec }) => (spec.strategy.rollingUpdate?.maxSurge ?? 0) * requestOf(spec.template.spec)),
    ...ofKind(manifests, 'Job').map(({ spec }) => requestOf(spec.template.spec)),
  ]);
  const document = await readFile(join(ROOT, 'docs', 'deployment.md'), 'utf8');
  const [, documented, documentedFurther] =
    /request ([\d.]+) processors and \d GB, and\s([\d.]+) processors/.exec(document) ?? [];
  expect([documented, documentedFurther].map(Number)).toEqual([kept / 1_000, further / 1_000]);
});

test('execution has the metric by which services scale, with the label that the overlay asks for', async () => {
  const metrics = copyManifests('production').flatMap((manifest) =>
    manifest.kind === 'HorizontalPodAutoscaler' ? manifest.spec.metrics.flatMap(({ external }) => external ?? []) : [],
  );
  for (const { metric } of metrics) expect(metric.selector.matchLabels).toEqual({ agents: 'online' });
  const documented = await readFile(join(ROOT, 'docs', 'operations.md'), 'utf8');
  expect(documented).toMatch(new RegExp(`\\| \`${QUEUE_AGE_METRIC}\` +\\| execution +\\| gauge +\\| \`agents\``));
});

test.each(BREAKAGES)(
  'the rule %s for the overlays detects that %s',
  (rule, _what, breakIt, overlay = rule in PRODUCTION_RULES ? 'production' : 'local') => {
    const manifests = copyManifests(overlay);
    breakIt(manifests);
    expect(ALL_RULES[rule](manifests)).not.toEqual([]);
  },
);

test('every rule for the overlays has a test in which it fails', () => {
  const broken = new Set<string>(BREAKAGES.map(([rule]) => rule));
  expect(Object.keys(ALL_RULES).filter((rule) => !broken.has(rule))).toEqual([]);
});
