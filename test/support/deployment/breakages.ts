import type { Overlay } from './kustomize';
import { ofKind, type Container, type Manifest } from './manifest';
import { workloadsIn } from './manifest-parts';
import type { RuleName } from './rules';

/** A change of the manifests that a rule must detect; by default of overlay production for a rule of that overlay alone, else of local. */
type Breakage = [rule: RuleName, what: string, breakIt: (manifests: Manifest[]) => void, overlay?: Overlay];

const podOf = (manifests: Manifest[], name: string) =>
  findOrThrow(workloadsIn(manifests), ({ name: its }) => its === name).spec;
const mainContainerOf = (manifests: Manifest[], name: string) => findOrThrow(podOf(manifests, name).containers);
const manifestNamed = <K extends Manifest['kind']>(manifests: Manifest[], kind: K, name: string) =>
  findOrThrow(ofKind(manifests, kind), ({ metadata }) => metadata.name === name);
const variableOf = (container: Container, name: string) => findOrThrow(container.env, ({ name: its }) => its === name);
const setVariable = (manifests: Manifest[], service: string, name: string, value: string) =>
  mainContainerOf(manifests, service).env.push({ name, value });
const removeManifest = (manifests: Manifest[], kind: Manifest['kind'], name: string) =>
  manifests.splice(
    manifests.findIndex((manifest) => manifest.kind === kind && manifest.metadata.name === name),
    1,
  );

const projectedIn = (manifests: Manifest[], name: string) =>
  findOrThrow(podOf(manifests, name).volumes.flatMap(({ projected }) => projected ?? []));

function findOrThrow<T>(list: T[], matches: (item: T) => boolean = () => true): T {
  const item = list.find(matches);
  if (item === undefined) throw new Error('the manifests lack the object that the test changes');
  return item;
}

/** Changes of the manifests that break each rule. */
export const BREAKAGES: Breakage[] = [
  ['probes', 'a probe is missing', (all) => delete mainContainerOf(all, 'router').readinessProbe],
  ['probes', 'a probe has no action', (all) => (mainContainerOf(all, 'nats').livenessProbe = { periodSeconds: 1 })],
  [
    'probes',
    'the readiness probe asks the liveness route',
    (all) => (mainContainerOf(all, 'gateway').readinessProbe = mainContainerOf(all, 'gateway').livenessProbe),
  ],
  ['resources', 'a container has no resource limits', (all) => delete mainContainerOf(all, 'migrate').resources],
  ['resources', 'NATS does not know the limit of its memory', (all) => (mainContainerOf(all, 'nats').env = [])],
  [
    'lockedDown',
    'a container has no security context',
    (all) => delete findOrThrow(podOf(all, 'console').initContainers).securityContext,
  ],
  [
    'lockedDown',
    'a pod runs as root',
    (all) => Object.assign(podOf(all, 'nats').securityContext ?? {}, { runAsUser: 0 }),
  ],
  [
    'lockedDown',
    'a pod may call the API of the cluster',
    (all) => delete podOf(all, 'mariadb').automountServiceAccountToken,
  ],
  ['lockedDown', 'a pod gets links to Services', (all) => delete podOf(all, 'gateway').enableServiceLinks],
  ['images', 'an image is not pinned', (all) => (mainContainerOf(all, 'nats').image = 'nats:latest')],
  [
    'images',
    'an image has no tag, its registry a port',
    (all) => (mainContainerOf(all, 'nats').image = 'here:5000/nats'),
  ],
  [
    'programs',
    'a command is misspelt',
    (all) => (mainContainerOf(all, 'router').command = ['node', 'dist/apps/rooter/main.js']),
  ],
  ['volumes', 'a volume is missing', (all) => (podOf(all, 'gateway').volumes = [])],
  [
    'volumes',
    'the key of a mounted file changed',
    (all) => (manifestNamed(all, 'ConfigMap', 'mariadb').data = { 'my.cnf': '' }),
  ],
  [
    'secrets',
    'a password is written out',
    (all) => mainContainerOf(all, 'console').env.push({ name: 'OPERATOR_PASSWORD', value: 'opensesame' }),
  ],
  [
    'secrets',
    'a URL carries its password',
    (all) => (variableOf(mainContainerOf(all, 'gateway'), 'NATS_URL').value = 'nats://gateway:opensesame@nats:4222'),
  ],
  [
    'secrets',
    'a ConfigMap carries the password of the database',
    (all) =>
      (manifestNamed(all, 'ConfigMap', 'batuta-database').data['DATABASE_URL'] =
        'mysql://batuta:opensesame@mariadb:3306/batuta'),
  ],
  [
    'secretFiles',
    'a secret is a variable',
    (all) =>
      mainContainerOf(all, 'router').env.push({
        name: 'NATS_PASSWORD',
        valueFrom: { secretKeyRef: { name: 'batuta-nats', key: 'NATS_ROUTER_PASSWORD' } },
      }),
  ],
  ['secretFiles', 'anybody reads the files', (all) => (projectedIn(all, 'router').defaultMode = 0o444)],
  ['references', 'a file is not mounted', (all) => (projectedIn(all, 'router').sources = [])],
  [
    'secrets',
    'a shipped configuration contains a password',
    (all) =>
      (manifestNamed(all, 'ConfigMap', 'nats').data['nats.conf'] = 'authorization { user: a, password: opensesame }'),
  ],
  [
    'secrets',
    'a setting is a secret',
    (all) => (manifestNamed(all, 'ConfigMap', 'batuta-settings').data['SECRET_KEYS'] = 'k1:x'),
  ],
  [
    'references',
    'a Secret lacks a key',
    (all) => delete manifestNamed(all, 'Secret', 'batuta-database').data['DATABASE_PASSWORD'],
  ],
  ['references', 'a Secret is missing', (all) => removeManifest(all, 'Secret', 'batuta-nats')],
  ['references', 'a ConfigMap is missing', (all) => removeManifest(all, 'ConfigMap', 'batuta-settings')],
  [
    'references',
    'a variable comes after its use',
    (all) => (mainContainerOf(all, 'nats').env = mainContainerOf(all, 'nats').env.toReversed()),
  ],
  ['settings', 'a required setting is missing', (all) => mainContainerOf(all, 'execution').env.pop()],
  [
    'settings',
    'a setting is unknown to its program',
    (all) => mainContainerOf(all, 'router').env.push({ name: 'POTR', value: '1' }),
  ],
  [
    'settings',
    'a setting is refused',
    (all) => (manifestNamed(all, 'ConfigMap', 'batuta-settings').data['LOG_LEVEL'] = 'loud'),
  ],
  [
    'settings',
    'the migration has a setting that it does not read',
    (all) => mainContainerOf(all, 'migrate').env.push({ name: 'PORT', value: '1' }),
  ],
  [
    'unusedSecrets',
    'no container uses a secret',
    (all) => (manifestNamed(all, 'Secret', 'batuta-keys').data['OLD_KEYS'] = 'x'),
  ],
  [
    'ports',
    'a Service selects nothing',
    (all) => (manifestNamed(all, 'Service', 'router').spec.selector = { app: 'router' }),
  ],
  [
    'ports',
    'a Service selects everything',
    (all) => (manifestNamed(all, 'Service', 'router').spec.selector = { 'app.kubernetes.io/part-of': 'batuta' }),
  ],
  [
    'ports',
    'a Service leads to a closed port',
    (all) => (findOrThrow(manifestNamed(all, 'Service', 'nats').spec.ports).targetPort = 'http'),
  ],
  [
    'ports',
    'a container listens elsewhere',
    (all) => (findOrThrow(mainContainerOf(all, 'console').ports).containerPort = 3000),
  ],
  [
    'ports',
    'a probe names an unknown port',
    (all) => (findOrThrow(mainContainerOf(all, 'console').ports).name = 'web'),
  ],
  ['ports', 'an Ingress forwards to nothing', (all) => removeManifest(all, 'Service', 'gateway'), 'production'],
  [
    'addresses',
    'the database is elsewhere',
    (all) => (findOrThrow(manifestNamed(all, 'Service', 'mariadb').spec.ports).port = 3307),
  ],
  ['addresses', 'NATS has another name', (all) => (manifestNamed(all, 'Service', 'nats').metadata.name = 'bus')],
  [
    'publicAddresses',
    'webhook URLs begin with a host that no Ingress serves',
    (all) =>
      (manifestNamed(all, 'ConfigMap', 'batuta-console').data['GATEWAY_PUBLIC_URL'] = 'https://hooks.example.com'),
  ],
  [
    'selectors',
    'a Deployment selects no pod',
    (all) => (manifestNamed(all, 'Deployment', 'router').spec.selector.matchLabels = { a: 'b' }),
  ],
  [
    'selectors',
    'a budget selects no pod',
    (all) => (manifestNamed(all, 'PodDisruptionBudget', 'router').spec.selector.matchLabels = { a: 'b' }),
  ],
  ['availability', 'a service is forgotten', (all) => removeManifest(all, 'Deployment', 'router')],
  [
    'availability',
    'a service has one replica',
    (all) => (manifestNamed(all, 'Deployment', 'router').spec.replicas = 1),
  ],
  [
    'availability',
    'an update stops pods first',
    (all) => (manifestNamed(all, 'Deployment', 'router').spec.strategy = { type: 'Recreate' }),
  ],
  ['availability', 'a service has no budget', (all) => removeManifest(all, 'PodDisruptionBudget', 'console')],
  [
    'availability',
    'a budget blocks drains',
    (all) => (manifestNamed(all, 'PodDisruptionBudget', 'console').spec.maxUnavailable = 0),
  ],
  [
    'availability',
    'a budget lets all pods go',
    (all) => (manifestNamed(all, 'PodDisruptionBudget', 'console').spec.maxUnavailable = 2),
  ],
  ['availability', 'a service stops at once', (all) => delete mainContainerOf(all, 'gateway').lifecycle],
  ['availability', 'a service is killed early', (all) => (podOf(all, 'gateway').terminationGracePeriodSeconds = 10)],
  ['migrations', 'no Job migrates the database', (all) => removeManifest(all, 'Job', 'migrate')],
  [
    'migrations',
    'a long migration is ended',
    (all) => (findOrThrow(ofKind(all, 'Job')).spec.activeDeadlineSeconds = 1_800),
  ],
  ['migrations', 'a service does not wait', (all) => (podOf(all, 'execution').initContainers = [])],
  [
    'migrations',
    'a service migrates',
    (all) => (findOrThrow(podOf(all, 'execution').initContainers).command = ['node', 'dist/libs/database/migrate.js']),
  ],
  [
    'connections',
    'the pools outgrow the database',
    (all) => (manifestNamed(all, 'ConfigMap', 'batuta-settings').data['DATABASE_POOL'] = '100'),
  ],
  ['network', 'nothing is closed', (all) => removeManifest(all, 'NetworkPolicy', 'nothing-else')],
  [
    'network',
    'names are not asked for at the cache of the node',
    (all) => manifestNamed(all, 'NetworkPolicy', 'names').spec.egress[0]?.to.pop(),
  ],
  ['network', 'the way to the database is closed', (all) => removeManifest(all, 'NetworkPolicy', 'to-mariadb')],
  [
    'network',
    'a workload without the database URL reaches the database',
    (all) => (findOrThrow(workloadsIn(all), ({ name }) => name === 'nats').labels['batuta/uses-database'] = 'true'),
  ],
  [
    'network',
    'a policy covers nothing',
    (all) => (manifestNamed(all, 'NetworkPolicy', 'metrics').spec.podSelector = { matchLabels: { a: 'b' } }),
  ],
  [
    'network',
    'the way to a database outside is closed',
    (all) =>
      (manifestNamed(all, 'ConfigMap', 'batuta-database').data['DATABASE_URL'] =
        'mysql://batuta@database.example.com:3306/batuta'),
  ],
  [
    'publicEdge',
    'execution is open to the edge',
    (all) => (manifestNamed(all, 'NetworkPolicy', 'edge').spec.podSelector = {}),
  ],
  ['publicEdge', 'the edge is closed', (all) => removeManifest(all, 'NetworkPolicy', 'edge')],
  ['outside', 'the way to the bucket is closed', (all) => removeManifest(all, 'NetworkPolicy', 'to-evidence')],
  ['outside', 'events are not sent', (all) => removeManifest(all, 'NetworkPolicy', 'to-receivers')],
  [
    'outside',
    'events reach private networks',
    (all) =>
      (manifestNamed(all, 'NetworkPolicy', 'to-receivers').spec.egress = [
        { to: [{ ipBlock: { cidr: '0.0.0.0/0' } }], ports: [{ protocol: 'TCP', port: 443 }] },
      ]),
  ],
  ['outside', 'NATS nodes are alone', (all) => removeManifest(all, 'NetworkPolicy', 'nats-cluster')],
  ['autoscaling', 'a service does not scale', (all) => removeManifest(all, 'HorizontalPodAutoscaler', 'schedule')],
  [
    'autoscaling',
    'applying resets the replicas',
    (all) => (manifestNamed(all, 'Deployment', 'router').spec.replicas = 2),
  ],
  [
    'autoscaling',
    'the age of queues does not count',
    (all) => manifestNamed(all, 'HorizontalPodAutoscaler', 'execution').spec.metrics.pop(),
  ],
  ['natsCluster', 'NATS is alone', (all) => (manifestNamed(all, 'StatefulSet', 'nats').spec.replicas = 1)],
  ['natsCluster', 'NATS shares a machine', (all) => delete podOf(all, 'nats').affinity],
  ['natsCluster', 'all NATS nodes may go', (all) => removeManifest(all, 'PodDisruptionBudget', 'nats')],
  ['natsCluster', 'a node closes all connections at once', (all) => delete mainContainerOf(all, 'nats').lifecycle],
  ['natsCluster', 'a node is killed early', (all) => (podOf(all, 'nats').terminationGracePeriodSeconds = 30)],
  ['natsCluster', 'a long poll outlives its node', (all) => setVariable(all, 'router', 'POLL_MS', '5000')],
  ['natsCluster', 'a service speaks in clear', (all) => setVariable(all, 'webhook', 'NATS_URL', 'nats://nats:4222')],
  ['natsCluster', 'a service knows one node', (all) => setVariable(all, 'webhook', 'NATS_URL', 'tls://nats:4222')],
  ['digests', 'an image has only a tag', (all) => (mainContainerOf(all, 'nats').image = 'nats:2.10-alpine')],
];
