import { hostsOf } from '@batuta/network';
import { readRouterConfig } from '../../../apps/router/src/config';
import { ofKind, type Manifest } from './manifest';
import { splitImage } from './kustomize';
import type { Rule } from './pod-rules';
import { programOf, SERVICES } from './settings';
import { containersIn, environmentOf, matchesLabels, replicasOf, workloadsIn, type Workload } from './manifest-parts';

/**
 * Name of the gauge of execution with the age in seconds of the oldest queued instance, by which execution and router scale. Both select its label
 * `agents: online`.
 */
export const QUEUE_AGE_METRIC = 'batuta_queue_oldest_seconds';

const portsOf = ({ spec }: Workload) => spec.containers.flatMap(({ ports }) => ports);

/** A Service leads to ports of exactly one workload; probes, Ingresses and addresses lead to ports that exist. */
const portsRule: Rule = (manifests) => [
  ...ofKind(manifests, 'Service').flatMap(({ metadata, spec }) => {
    const [behind, ...more] = workloadsIn(manifests).filter(({ labels }) => matchesLabels(spec.selector, labels));
    if (!behind || more.length > 0) return [`Service ${metadata.name}: does not lead to one workload`];
    return spec.ports.flatMap(({ targetPort }) =>
      portsOf(behind).some(({ name, containerPort }) => targetPort === name || targetPort === containerPort)
        ? []
        : [`Service ${metadata.name}: ${behind.name} has no port ${targetPort}`],
    );
  }),
  ...containersIn(manifests).flatMap(({ at, container }) => {
    const { startupProbe, livenessProbe, readinessProbe } = container;
    const probed = [startupProbe, livenessProbe, readinessProbe].flatMap((probe) => probe?.httpGet?.port ?? []);
    const missing = probed.filter((port) => !container.ports.some(({ name }) => name === port));
    const { PORT } = environmentOf(container, manifests).values;
    const listens = PORT === undefined || container.ports.some(({ containerPort }) => String(containerPort) === PORT);
    return [
      ...missing.map((port) => `${at}: probes a port ${port} that it does not have`),
      ...(listens ? [] : [`${at}: listens on ${PORT}, which is none of its ports`]),
    ];
  }),
  ...ofKind(manifests, 'Ingress').flatMap(({ metadata, spec }) =>
    spec.rules.flatMap(({ http }) =>
      http.paths.flatMap(({ backend: { service } }) =>
        hasPort(manifests, service.name, ({ name }) => name === service.port.name)
          ? []
          : [`Ingress ${metadata.name}: there is no ${service.name}:${service.port.name}`],
      ),
    ),
  ),
];

function hasPort(manifests: Manifest[], service: string, wanted: (port: { name: string; port: number }) => boolean) {
  return ofKind(manifests, 'Service').some(
    ({ metadata, spec }) => metadata.name === service && spec.ports.some(wanted),
  );
}

/** The host and port of every URL among the settings belong to a Service of the manifests or to a host outside of the cluster. */
const addressesRule: Rule = (manifests) =>
  containersIn(manifests).flatMap(({ at, container }) =>
    Object.entries(environmentOf(container, manifests).values).flatMap(([name, value]) => {
      if (!name.endsWith('_URL') || name.endsWith('_PUBLIC_URL')) return [];
      return hostsOf(value).flatMap((address) => {
        const [host = '', port] = address.split(':');
        // A pod of a StatefulSet is `<pod>.<service>`.
        const service = host.replace(/^[\w-]+-\d+\.(?=[\w-]+$)/, '');
        if (service.includes('.')) return [];
        return hasPort(manifests, service, (known) => String(known.port) === port)
          ? []
          : [`${at}: ${name} leads to ${address}, where nothing is`];
      });
    }),
  );

/** The public URLs in the settings begin with a host that an Ingress serves, and the console knows those of gateway and router. */
const publicAddressesRule: Rule = (manifests) => {
  const hosts = new Set(ofKind(manifests, 'Ingress').flatMap(({ spec }) => spec.rules.map(({ host }) => host)));
  return containersIn(manifests).flatMap(({ at, container }) => {
    const { values } = environmentOf(container, manifests);
    const known = container.name === 'console' ? ['GATEWAY_PUBLIC_URL', 'ROUTER_PUBLIC_URL'] : [];
    return [
      ...known.flatMap((name) => (name in values ? [] : [`${at}: lacks ${name}`])),
      ...Object.entries(values).flatMap(([name, value]) =>
        !name.endsWith('_PUBLIC_URL') || hosts.has(new URL(value).hostname)
          ? []
          : [`${at}: ${name} begins with ${value}, which no Ingress serves`],
      ),
    ];
  });
};

/** The selectors of a workload match its own pods, and a PodDisruptionBudget matches the pods of a workload. */
const selectorsRule: Rule = (manifests) => [
  ...manifests.flatMap((manifest) => {
    if (manifest.kind !== 'Deployment' && manifest.kind !== 'StatefulSet') return [];
    const { selector, template } = manifest.spec;
    const spread = template.spec.topologySpreadConstraints ?? [];
    const own = [selector, ...spread.map(({ labelSelector }) => labelSelector)];
    return own.every(({ matchLabels }) => matchesLabels(matchLabels, template.metadata.labels))
      ? []
      : [`${manifest.metadata.name}: does not select its own pods`];
  }),
  ...ofKind(manifests, 'PodDisruptionBudget').flatMap(({ metadata, spec }) =>
    workloadsIn(manifests).some(({ labels }) => matchesLabels(spec.selector.matchLabels, labels))
      ? []
      : [`PodDisruptionBudget ${metadata.name}: selects nothing`],
  ),
];

/** The minimum time that a service has to finish its work after its preStop pause. */
const MIN_SECONDS_TO_FINISH = 30;

/** Every service runs at least twice and stays up through updates, drained nodes and its own shutdown. */
const availabilityRule: Rule = (manifests) =>
  SERVICES.flatMap((service) => {
    const deployment = ofKind(manifests, 'Deployment').find(({ metadata }) => metadata.name === service);
    if (!deployment) return [`${service}: is not deployed`];
    const { strategy, template } = deployment.spec;
    const { least } = replicasOf(deployment, manifests);
    const budget = ofKind(manifests, 'PodDisruptionBudget').find(({ spec }) =>
      matchesLabels(spec.selector.matchLabels, template.metadata.labels),
    );
    const pause = Number(template.spec.containers[0]?.lifecycle?.preStop.exec.command[1] ?? 0);
    return [
      ...(least >= 2 ? [] : [`${service}: runs only once`]),
      ...(strategy.rollingUpdate?.maxUnavailable === 0 ? [] : [`${service}: an update takes pods away first`]),
      ...(budget && budget.spec.maxUnavailable >= 1 && budget.spec.maxUnavailable < least
        ? []
        : [`${service}: no budget, or one that blocks every drain or lets all pods go`]),
      ...(pause > 0 ? [] : [`${service}: stops while requests still arrive`]),
      ...(template.spec.terminationGracePeriodSeconds >= pause + MIN_SECONDS_TO_FINISH
        ? []
        : [`${service}: has no time to finish`]),
    ];
  });

const MIGRATE_SCRIPT = 'dist/libs/database/migrate.js';
const AWAIT_SCHEMA_SCRIPT = 'dist/libs/database/await-schema.js';

/** The time limit of one statement of a migration (libs/database/src/migrate.ts). */
const MIGRATION_STATEMENT_SECONDS = 3_600;

/** One Job changes the schema, and has more time than its longest statement; every service waits for it before it starts. */
const migrationsRule: Rule = (manifests) => {
  const migrating = containersIn(manifests).filter(({ container }) => programOf(container.command) === MIGRATE_SCRIPT);
  return [
    ...(migrating.some(({ workload }) => workload.kind === 'Job') ? [] : ['no Job migrates']),
    ...migrating.flatMap(({ at, workload }) => (workload.kind === 'Job' ? [] : [`${at}: migrates as well`])),
    ...ofKind(manifests, 'Job')
      .filter(({ metadata }) => migrating.some(({ workload }) => workload.name === metadata.name))
      .filter(({ spec }) => spec.activeDeadlineSeconds <= MIGRATION_STATEMENT_SECONDS)
      .map(({ metadata }) => `${metadata.name}: is ended before its longest statement`),
    ...workloadsIn(manifests).flatMap(({ name, spec }) =>
      !SERVICES.includes(name) || spec.initContainers.some(({ command }) => programOf(command) === AWAIT_SCHEMA_SCRIPT)
        ? []
        : [`${name}: does not wait for the schema`],
    ),
  ];
};

/**
 * The number of connections that docs/deployment.md demands of an external database; for the database in the cluster it is
 * `max-connections`.
 */
export const MAX_CONNECTIONS = 750;

/** The size of the pool of a service that does not set DATABASE_POOL. */
const DEFAULT_POOL = 10;
const CONNECTIONS_FOR_OPERATORS = 20;

/** The connections of all pools at the highest number of pods, and CONNECTIONS_FOR_OPERATORS, fit into the database's `max-connections`. */
const connectionsRule: Rule = (manifests) => {
  const wanted = workloadsIn(manifests)
    .filter(({ name }) => SERVICES.includes(name))
    .flatMap(({ pods, spec }) =>
      spec.containers.map(
        (container) => pods * Number(environmentOf(container, manifests).values['DATABASE_POOL'] ?? DEFAULT_POOL),
      ),
    )
    .reduce((sum, each) => sum + each, 0);
  const settings = ofKind(manifests, 'ConfigMap').find(({ metadata }) => metadata.name === 'mariadb');
  const own = /^max-connections\s*=\s*(\d+)$/m.exec(settings?.data['mariadb.cnf'] ?? '')?.[1];
  const most = settings ? Number(own ?? 0) : MAX_CONNECTIONS;
  return wanted + CONNECTIONS_FOR_OPERATORS <= most
    ? []
    : [`${wanted} connections and ${CONNECTIONS_FOR_OPERATORS} for operators are more than ${most}`];
};

/**
 * Every service scales by processor time, and nothing else sets its replicas; execution and router also scale by the age of queues.
 */
const autoscalingRule: Rule = (manifests) =>
  SERVICES.flatMap((service) => {
    const scaler = ofKind(manifests, 'HorizontalPodAutoscaler').find(
      ({ spec }) => spec.scaleTargetRef.name === service,
    );
    const deployment = ofKind(manifests, 'Deployment').find(({ metadata }) => metadata.name === service);
    if (!scaler) return [`${service}: does not scale`];
    const { minReplicas, maxReplicas, metrics } = scaler.spec;
    const external = metrics.flatMap((metric) => metric.external?.metric.name ?? []);
    const wanted = ['execution', 'router'].includes(service) ? [QUEUE_AGE_METRIC] : [];
    return [
      ...(deployment?.spec.replicas === undefined ? [] : [`${service}: applying the manifest resets its replicas`]),
      ...(minReplicas < maxReplicas ? [] : [`${service}: cannot scale`]),
      ...(metrics.some(({ resource }) => resource?.name === 'cpu')
        ? []
        : [`${service}: does not scale by processor time`]),
      ...(external.join() === wanted.join()
        ? []
        : [`${service}: scales by ${external.join()}, not by ${wanted.join()}`]),
    ];
  });

const NATS_NODES = [0, 1, 2].map((number) => `nats-${number}.nats-nodes:4222`).join();

/**
 * The problems of a stopping NATS node: it must begin its lame duck mode, have the time that this mode may take, and close connections only when the
 * long polls of routers, which wait for work, have ended.
 */
function lameDuckProblems(manifests: Manifest[]): string[] {
  const nats = workloadsIn(manifests).find(({ name }) => name === 'nats')?.spec;
  const maps = ofKind(manifests, 'ConfigMap').map(({ data }) => data['nats-cluster.conf'] ?? '');
  const [, seconds] = /^lame_duck_duration: "(\d+)s"$/m.exec(maps.join('\n')) ?? [];
  const [, grace] = /^lame_duck_grace_period: "(\d+)s"$/m.exec(maps.join('\n')) ?? [];
  const polls = containersIn(manifests)
    .filter(({ container }) => programOf(container.command) === 'dist/apps/router/main.js')
    .map(
      ({ container, workload }) => readRouterConfig(environmentOf(container, manifests, workload.spec).values).POLL_MS,
    );
  const command = nats?.containers[0]?.lifecycle?.preStop.exec.command.join(' ');
  return [
    ...(Math.max(...polls) < Number(grace) * 1_000 ? [] : ['a NATS node closes connections of long polls']),
    ...(command?.includes('nats-server --signal ldm=1') ? [] : ['a NATS node closes all connections at once']),
    ...(Number(nats?.terminationGracePeriodSeconds) > Number(seconds) ? [] : ['a NATS node is killed early']),
  ];
}

/**
 * NATS is a cluster of three nodes on three machines, of which one at a time may be away; every service knows all of them, and every
 * connection is encrypted.
 */
const natsClusterRule: Rule = (manifests) => {
  const nats = ofKind(manifests, 'StatefulSet').find(({ metadata }) => metadata.name === 'nats');
  const spread = nats?.spec.template.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const budget = ofKind(manifests, 'PodDisruptionBudget').find(({ metadata }) => metadata.name === 'nats');
  const open = containersIn(manifests).flatMap(({ at, container }) => {
    const { NATS_URL } = environmentOf(container, manifests).values;
    if (NATS_URL === undefined) return [];
    return [
      ...(NATS_URL.startsWith('tls:') ? [] : [`${at}: speaks with NATS in clear`]),
      ...(NATS_URL.endsWith(`@${NATS_NODES}`) ? [] : [`${at}: does not know every node of NATS`]),
    ];
  });
  return [
    ...(nats?.spec.replicas === 3 ? [] : ['NATS has not three nodes']),
    ...(spread?.some(({ topologyKey }) => topologyKey === 'kubernetes.io/hostname')
      ? []
      : ['NATS nodes share a machine']),
    ...(budget?.spec.maxUnavailable === 1 ? [] : ['several NATS nodes may go at once']),
    ...lameDuckProblems(manifests),
    ...open,
  ];
};

/** Every image is named by its digest. */
const digestsRule: Rule = (manifests) =>
  containersIn(manifests).flatMap(({ at, container: { image } }) =>
    splitImage(image).digest === undefined ? [`${at}: image ${image} has no digest`] : [],
  );

export const wiringRules = {
  ports: portsRule,
  addresses: addressesRule,
  selectors: selectorsRule,
  availability: availabilityRule,
  migrations: migrationsRule,
  connections: connectionsRule,
};

/** Rules of an overlay that faces the internet and must survive the loss of a machine. */
export const productionRules = {
  publicAddresses: publicAddressesRule,
  autoscaling: autoscalingRule,
  natsCluster: natsClusterRule,
  digests: digestsRule,
};
