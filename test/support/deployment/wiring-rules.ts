import { ofKind, type Manifest } from './manifest';
import type { Rule } from './pod-rules';
import { programOf, SERVICES } from './settings';
import { containers, environment, selects, workloads, type Workload } from './manifest-parts';

const portsOf = ({ spec }: Workload) => spec.containers.flatMap(({ ports }) => ports);

/** A Service leads to ports of exactly one workload; probes, Ingresses and addresses lead to ports that exist. */
const ports: Rule = (manifests) => [
  ...ofKind(manifests, 'Service').flatMap(({ metadata, spec }) => {
    const [behind, ...more] = workloads(manifests).filter(({ labels }) => selects(spec.selector, labels));
    if (!behind || more.length > 0) return [`Service ${metadata.name}: does not lead to one workload`];
    return spec.ports.flatMap(({ targetPort }) =>
      portsOf(behind).some(({ name, containerPort }) => targetPort === name || targetPort === containerPort)
        ? []
        : [`Service ${metadata.name}: ${behind.name} has no port ${targetPort}`],
    );
  }),
  ...containers(manifests).flatMap(({ at, container }) => {
    const { startupProbe, livenessProbe, readinessProbe } = container;
    const probed = [startupProbe, livenessProbe, readinessProbe].flatMap((probe) => probe?.httpGet?.port ?? []);
    const missing = probed.filter((port) => !container.ports.some(({ name }) => name === port));
    const { PORT } = environment(container, manifests).values;
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

/** The host and port of every URL among the settings is a Service of ours. */
const addresses: Rule = (manifests) =>
  containers(manifests).flatMap(({ at, container }) =>
    Object.entries(environment(container, manifests).values).flatMap(([name, value]) => {
      if (!name.endsWith('_URL') || name.endsWith('_PUBLIC_URL')) return [];
      const { hostname, port } = new URL(value);
      return hasPort(manifests, hostname, (known) => String(known.port) === port)
        ? []
        : [`${at}: ${name} leads to ${hostname}:${port}, where nothing is`];
    }),
  );

/** The public URLs in the settings begin with a host that an Ingress serves. */
const publicAddresses: Rule = (manifests) => {
  const hosts = new Set(ofKind(manifests, 'Ingress').flatMap(({ spec }) => spec.rules.map(({ host }) => host)));
  return containers(manifests).flatMap(({ at, container }) =>
    Object.entries(environment(container, manifests).values).flatMap(([name, value]) =>
      !name.endsWith('_PUBLIC_URL') || hosts.has(new URL(value).hostname)
        ? []
        : [`${at}: ${name} begins with ${value}, which no Ingress serves`],
    ),
  );
};

const selectors: Rule = (manifests) => [
  ...manifests.flatMap((manifest) => {
    if (manifest.kind !== 'Deployment' && manifest.kind !== 'StatefulSet') return [];
    const { selector, template } = manifest.spec;
    const spread = template.spec.topologySpreadConstraints ?? [];
    const own = [selector, ...spread.map(({ labelSelector }) => labelSelector)];
    return own.every(({ matchLabels }) => selects(matchLabels, template.metadata.labels))
      ? []
      : [`${manifest.metadata.name}: does not select its own pods`];
  }),
  ...ofKind(manifests, 'PodDisruptionBudget').flatMap(({ metadata, spec }) =>
    workloads(manifests).some(({ labels }) => selects(spec.selector.matchLabels, labels))
      ? []
      : [`PodDisruptionBudget ${metadata.name}: selects nothing`],
  ),
];

/** Every service runs twice and stays up through updates, drained nodes and its own shutdown. */
const availability: Rule = (manifests) =>
  SERVICES.flatMap((service) => {
    const deployment = ofKind(manifests, 'Deployment').find(({ metadata }) => metadata.name === service);
    if (!deployment) return [`${service}: is not deployed`];
    const { replicas, strategy, template } = deployment.spec;
    const budget = ofKind(manifests, 'PodDisruptionBudget').find(({ spec }) =>
      selects(spec.selector.matchLabels, template.metadata.labels),
    );
    const pause = Number(template.spec.containers[0]?.lifecycle?.preStop.exec.command[1] ?? 0);
    return [
      ...(replicas >= 2 ? [] : [`${service}: runs only once`]),
      ...(strategy.rollingUpdate?.maxUnavailable === 0 ? [] : [`${service}: an update takes pods away first`]),
      ...(budget && budget.spec.minAvailable < replicas
        ? []
        : [`${service}: no budget, or one that blocks every drain`]),
      ...(pause > 0 ? [] : [`${service}: stops while requests still arrive`]),
      ...(template.spec.terminationGracePeriodSeconds >= pause + 30 ? [] : [`${service}: has no time to finish`]),
    ];
  });

const MIGRATE = 'dist/libs/database/migrate.js';
const AWAIT_SCHEMA = 'dist/libs/database/await-schema.js';

/** One Job changes the schema; every service waits for it before it starts. */
const migrations: Rule = (manifests) => {
  const migrating = containers(manifests).filter(({ container }) => programOf(container.command) === MIGRATE);
  return [
    ...(migrating.some(({ workload }) => workload.kind === 'Job') ? [] : ['no Job migrates']),
    ...migrating.flatMap(({ at, workload }) => (workload.kind === 'Job' ? [] : [`${at}: migrates as well`])),
    ...workloads(manifests).flatMap(({ name, spec }) =>
      !SERVICES.includes(name) || spec.initContainers.some(({ command }) => programOf(command) === AWAIT_SCHEMA)
        ? []
        : [`${name}: does not wait for the schema`],
    ),
  ];
};

/** The connections of all pools and 20 for operators fit into the database's `max-connections`. */
const connections: Rule = (manifests) => {
  const wanted = workloads(manifests)
    .filter(({ name }) => SERVICES.includes(name))
    .flatMap(({ pods, spec }) =>
      spec.containers.map(
        (container) => pods * Number(environment(container, manifests).values['DATABASE_POOL'] ?? 10),
      ),
    )
    .reduce((sum, each) => sum + each, 0);
  const settings = ofKind(manifests, 'ConfigMap').find(({ metadata }) => metadata.name === 'mariadb');
  const most = Number(/^max-connections\s*=\s*(\d+)$/m.exec(settings?.data['mariadb.cnf'] ?? '')?.[1] ?? 0);
  return wanted + 20 <= most ? [] : [`${wanted} connections and 20 for operators are more than ${most}`];
};

export const wiringRules = { ports, addresses, publicAddresses, selectors, availability, migrations, connections };
