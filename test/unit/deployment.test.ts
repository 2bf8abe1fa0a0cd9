import { join } from 'node:path';
import { environmentRules } from '../support/deployment/environment-rules';
import { renderKustomization } from '../support/deployment/kustomize';
import { ofKind, type Container, type Manifest } from '../support/deployment/manifest';
import { networkRules } from '../support/deployment/network-rules';
import { podRules } from '../support/deployment/pod-rules';
import { ROOT, sampleSecret } from '../support/deployment/settings';
import { wiringRules } from '../support/deployment/wiring-rules';
import { workloads } from '../support/deployment/manifest-parts';

const RULES = { ...podRules, ...environmentRules, ...wiringRules, ...networkRules };
type RuleName = keyof typeof RULES;

const RENDERED = renderKustomization(join(ROOT, 'k8s', 'example'), sampleSecret);
/** A copy, which a test may change. */
const render = () => structuredClone(RENDERED);

test.each(Object.entries(RULES))('k8s keeps the rule: %s', (_name, rule) => {
  expect(rule(render())).toEqual([]);
});

test('every file of k8s is part of a kustomization', () => {
  const kinds = new Set(render().map(({ kind }) => kind));
  expect([...kinds].toSorted()).toEqual(
    'ConfigMap Deployment Ingress Job Namespace NetworkPolicy PodDisruptionBudget Secret Service StatefulSet'.split(
      ' ',
    ),
  );
});

test('every object except the namespace belongs to the namespace', () => {
  const outside = render().filter(({ metadata }) => metadata.namespace !== 'batuta');
  expect(outside.map(({ kind }) => kind)).toEqual(['Namespace']);
});

type Breakage = [rule: RuleName, what: string, breakIt: (manifests: Manifest[]) => void];

const pod = (manifests: Manifest[], name: string) => found(workloads(manifests), ({ name: its }) => its === name).spec;
const main = (manifests: Manifest[], name: string) => found(pod(manifests, name).containers);
const one = <K extends Manifest['kind']>(manifests: Manifest[], kind: K, name: string) =>
  found(ofKind(manifests, kind), ({ metadata }) => metadata.name === name);
const variable = (container: Container, name: string) => found(container.env, ({ name: its }) => its === name);
const remove = (manifests: Manifest[], kind: Manifest['kind'], name: string) =>
  manifests.splice(
    manifests.findIndex((manifest) => manifest.kind === kind && manifest.metadata.name === name),
    1,
  );

function found<T>(list: T[], matches: (item: T) => boolean = () => true): T {
  const item = list.find(matches);
  if (item === undefined) throw new Error('the manifests lack the object that the test changes');
  return item;
}

const BREAKAGES: Breakage[] = [
  ['probes', 'a probe is missing', (all) => delete main(all, 'router').readinessProbe],
  ['probes', 'a probe has no action', (all) => (main(all, 'nats').livenessProbe = { periodSeconds: 1 })],
  [
    'probes',
    'the readiness probe asks the liveness route',
    (all) => (main(all, 'gateway').readinessProbe = main(all, 'gateway').livenessProbe),
  ],
  ['resources', 'a container has no resource limits', (all) => delete main(all, 'migrate').resources],
  [
    'lockedDown',
    'a container has no security context',
    (all) => delete found(pod(all, 'console').initContainers).securityContext,
  ],
  [
    'lockedDown',
    'a pod runs as root',
    (all) => Object.assign(pod(all, 'nats').securityContext ?? {}, { runAsUser: 0 }),
  ],
  [
    'lockedDown',
    'a pod may call the API of the cluster',
    (all) => delete pod(all, 'mariadb').automountServiceAccountToken,
  ],
  ['lockedDown', 'a pod gets links to Services', (all) => delete pod(all, 'gateway').enableServiceLinks],
  ['images', 'an image is not pinned', (all) => (main(all, 'nats').image = 'nats:latest')],
  ['images', 'an image has no tag, its registry a port', (all) => (main(all, 'nats').image = 'here:5000/nats')],
  ['programs', 'a command is misspelt', (all) => (main(all, 'router').command = ['node', 'dist/apps/rooter/main.js'])],
  ['volumes', 'a volume is missing', (all) => (pod(all, 'gateway').volumes = [])],
  ['volumes', 'the key of a mounted file changed', (all) => (one(all, 'ConfigMap', 'mariadb').data = { 'my.cnf': '' })],
  [
    'secrets',
    'a password is written out',
    (all) => main(all, 'console').env.push({ name: 'OPERATOR_PASSWORD', value: 'opensesame' }),
  ],
  [
    'secrets',
    'a URL carries its password',
    (all) => (variable(main(all, 'gateway'), 'DATABASE_URL').value = 'mysql://batuta:opensesame@mariadb:3306/batuta'),
  ],
  [
    'secrets',
    'a shipped configuration contains a password',
    (all) => (one(all, 'ConfigMap', 'nats').data['nats.conf'] = 'authorization { user: a, password: opensesame }'),
  ],
  [
    'secrets',
    'a setting is a secret',
    (all) => (one(all, 'ConfigMap', 'batuta-settings').data['SECRET_KEYS'] = 'k1:x'),
  ],
  [
    'references',
    'a Secret lacks a key',
    (all) => delete one(all, 'Secret', 'batuta-database').data['DATABASE_PASSWORD'],
  ],
  ['references', 'a Secret is missing', (all) => remove(all, 'Secret', 'batuta-nats')],
  ['references', 'a ConfigMap is missing', (all) => remove(all, 'ConfigMap', 'batuta-settings')],
  [
    'references',
    'a variable comes after its use',
    (all) => (main(all, 'router').env = main(all, 'router').env.toReversed()),
  ],
  ['settings', 'a required setting is missing', (all) => main(all, 'execution').env.pop()],
  [
    'settings',
    'a setting is unknown to its program',
    (all) => main(all, 'router').env.push({ name: 'POTR', value: '1' }),
  ],
  ['settings', 'a setting is refused', (all) => (one(all, 'ConfigMap', 'batuta-settings').data['LOG_LEVEL'] = 'loud')],
  [
    'settings',
    'the migration has a setting that it does not read',
    (all) => main(all, 'migrate').env.push({ name: 'PORT', value: '1' }),
  ],
  ['unusedSecrets', 'no container uses a secret', (all) => (one(all, 'Secret', 'batuta-keys').data['OLD_KEYS'] = 'x')],
  ['ports', 'a Service selects nothing', (all) => (one(all, 'Service', 'router').spec.selector = { app: 'router' })],
  [
    'ports',
    'a Service selects everything',
    (all) => (one(all, 'Service', 'router').spec.selector = { 'app.kubernetes.io/part-of': 'batuta' }),
  ],
  [
    'ports',
    'a Service leads to a closed port',
    (all) => (found(one(all, 'Service', 'nats').spec.ports).targetPort = 'http'),
  ],
  ['ports', 'a container listens elsewhere', (all) => (found(main(all, 'console').ports).containerPort = 3000)],
  ['ports', 'a probe names an unknown port', (all) => (found(main(all, 'console').ports).name = 'web')],
  ['ports', 'an Ingress forwards to nothing', (all) => remove(all, 'Service', 'gateway')],
  ['addresses', 'the database is elsewhere', (all) => (found(one(all, 'Service', 'mariadb').spec.ports).port = 3307)],
  ['addresses', 'NATS has another name', (all) => (one(all, 'Service', 'nats').metadata.name = 'bus')],
  [
    'publicAddresses',
    'webhook URLs begin with a host that no Ingress serves',
    (all) => (one(all, 'ConfigMap', 'batuta-addresses').data['GATEWAY_PUBLIC_URL'] = 'https://hooks.example.com'),
  ],
  [
    'selectors',
    'a Deployment selects no pod',
    (all) => (one(all, 'Deployment', 'nats').spec.selector.matchLabels = { a: 'b' }),
  ],
  [
    'selectors',
    'a budget selects no pod',
    (all) => (one(all, 'PodDisruptionBudget', 'router').spec.selector.matchLabels = { a: 'b' }),
  ],
  ['availability', 'a service is forgotten', (all) => remove(all, 'Deployment', 'router')],
  ['availability', 'a service has one replica', (all) => (one(all, 'Deployment', 'router').spec.replicas = 1)],
  [
    'availability',
    'an update stops pods first',
    (all) => (one(all, 'Deployment', 'router').spec.strategy = { type: 'Recreate' }),
  ],
  ['availability', 'a service has no budget', (all) => remove(all, 'PodDisruptionBudget', 'console')],
  [
    'availability',
    'a budget blocks drains',
    (all) => (one(all, 'PodDisruptionBudget', 'console').spec.minAvailable = 2),
  ],
  ['availability', 'a service stops at once', (all) => delete main(all, 'gateway').lifecycle],
  ['availability', 'a service is killed early', (all) => (pod(all, 'gateway').terminationGracePeriodSeconds = 10)],
  ['migrations', 'no Job migrates the database', (all) => remove(all, 'Job', 'migrate')],
  ['migrations', 'a service does not wait', (all) => (pod(all, 'execution').initContainers = [])],
  [
    'migrations',
    'a service migrates',
    (all) => (found(pod(all, 'execution').initContainers).command = ['node', 'dist/libs/database/migrate.js']),
  ],
  [
    'connections',
    'the pools outgrow the database',
    (all) => (one(all, 'ConfigMap', 'batuta-settings').data['DATABASE_POOL'] = '100'),
  ],
  ['network', 'nothing is closed', (all) => remove(all, 'NetworkPolicy', 'nothing-else')],
  ['network', 'the way to the database is closed', (all) => remove(all, 'NetworkPolicy', 'to-mariadb')],
  [
    'network',
    'a workload without the database URL reaches the database',
    (all) => (found(workloads(all), ({ name }) => name === 'nats').labels['batuta/uses-database'] = 'true'),
  ],
  [
    'network',
    'a policy covers nothing',
    (all) => (one(all, 'NetworkPolicy', 'edge').spec.podSelector = { matchLabels: { a: 'b' } }),
  ],
  ['publicEdge', 'execution is open to the edge', (all) => (one(all, 'NetworkPolicy', 'edge').spec.podSelector = {})],
  ['publicEdge', 'the edge is closed', (all) => remove(all, 'NetworkPolicy', 'edge')],
];

test.each(BREAKAGES)('the rule %s detects that %s', (rule, _what, breakIt) => {
  const manifests = render();
  breakIt(manifests);
  expect(RULES[rule](manifests)).not.toEqual([]);
});

test('every rule has a test in which it fails', () => {
  const broken = new Set<string>(BREAKAGES.map(([rule]) => rule));
  expect(Object.keys(RULES).filter((rule) => !broken.has(rule))).toEqual([]);
});
