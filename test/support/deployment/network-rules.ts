import { hostsOf } from '@batuta/network';
import { ofKind, type Manifest } from './manifest';
import type { Rule } from './pod-rules';
import { SERVICES } from './settings';
import { containersIn, environmentOf, matchesLabels, workloadsIn, type Workload } from './manifest-parts';

type Policy = Extract<Manifest, { kind: 'NetworkPolicy' }>;

function appliesTo({ spec: { podSelector } }: Policy, { labels }: Workload): boolean {
  const { matchLabels = {}, matchExpressions = [] } = podSelector;
  return (
    matchesLabels(matchLabels, labels) &&
    matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? ''))
  );
}

const selectsAllPods = ({ spec: { podSelector } }: Policy) => Object.keys(podSelector).length === 0;

const deniesAll = (policy: Policy) =>
  selectsAllPods(policy) &&
  policy.spec.ingress.length + policy.spec.egress.length === 0 &&
  policy.spec.policyTypes.length === 2;

/** Whether a policy of pod `from` allows the connection to this port of pod `to`, and a policy of pod `to` admits it. */
function allowsConnection(manifests: Manifest[], from: Workload, to: Workload, port: number): boolean {
  const policies = ofKind(manifests, 'NetworkPolicy');
  const selects = (peers: { podSelector?: { matchLabels: Record<string, string> } }[], { labels }: Workload) =>
    peers.some(({ podSelector }) => podSelector && matchesLabels(podSelector.matchLabels, labels));
  const allowsPort = (ports: { port: number }[]) => ports.some((allowed) => allowed.port === port);
  const out = policies.some(
    (policy) =>
      appliesTo(policy, from) && policy.spec.egress.some((rule) => selects(rule.to, to) && allowsPort(rule.ports)),
  );
  const into = policies.some(
    (policy) =>
      appliesTo(policy, to) && policy.spec.ingress.some((rule) => selects(rule.from, from) && allowsPort(rule.ports)),
  );
  return out && into;
}

/** Whether a policy lets every pod resolve names: at the DNS of the cluster, and at NodeLocal DNSCache, which is in no namespace. */
const resolvesNames = (policy: Policy) =>
  selectsAllPods(policy) &&
  policy.spec.egress.some(
    ({ to, ports }) =>
      ports.every(({ port }) => port === 53) &&
      to.some(
        ({ namespaceSelector }) => namespaceSelector?.matchLabels['kubernetes.io/metadata.name'] === 'kube-system',
      ) &&
      to.some(({ ipBlock }) => ipBlock?.cidr === '169.254.20.10/32'),
  );

const DATABASE_PORT = 3306;
const HTTPS_PORT = 443;
/** The port of the routes between the nodes of NATS. */
const NATS_ROUTE_PORT = 6222;
const PRIVATE_NETWORKS = ['10.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'];

/** The ports at which policies let a workload reach hosts outside of the cluster. */
function externalPortsOf(policies: Policy[], workload: Workload): number[] {
  return policies
    .filter((policy) => appliesTo(policy, workload))
    .flatMap(({ spec }) => spec.egress.filter(({ to }) => to.some(({ ipBlock }) => ipBlock)))
    .flatMap(({ ports }) => ports.map(({ port }) => port));
}

/** The host of `host:port`; for a pod of NATS the name of the Service of all its pods. */
function hostOf(address: string): string {
  return address.replace(/:\d+$/, '').replace(/^nats-\d+\.nats-nodes$/, 'nats');
}

/**
 * One policy denies every connection, and one lets every pod resolve names. A workload reaches MariaDB, NATS or a database outside of the
 * cluster if, and only if, a setting of the workload has its URL.
 */
const networkRule: Rule = (manifests) => {
  const policies = ofKind(manifests, 'NetworkPolicy');
  const all = workloadsIn(manifests);
  const wanted = new Set(
    containersIn(manifests).flatMap(({ container, workload }) =>
      Object.entries(environmentOf(container, manifests).values)
        .filter(([name]) => name.endsWith('_URL') && !name.endsWith('_PUBLIC_URL'))
        .flatMap(([, value]) => hostsOf(value).map((address) => `${workload.name} ${hostOf(address)}`)),
    ),
  );
  const parts = all.filter(({ name }) => name === 'mariadb' || name === 'nats');
  return [
    ...(policies.some(deniesAll) ? [] : ['no policy closes everything']),
    ...(policies.some(resolvesNames) ? [] : ['names are not asked for in the cluster and at the cache of the node']),
    ...policies.flatMap((policy) =>
      selectsAllPods(policy) || all.some((workload) => appliesTo(policy, workload))
        ? []
        : [`NetworkPolicy ${policy.metadata.name}: covers nothing`],
    ),
    ...all.flatMap((workload) => {
      const outside = [...wanted].some((entry) => entry.startsWith(`${workload.name} `) && entry.includes('.'));
      const through = externalPortsOf(policies, workload).includes(DATABASE_PORT);
      return through === outside
        ? []
        : [`${workload.name}: ${through ? 'reaches' : 'does not reach'} a database outside`];
    }),
    ...parts.flatMap((part) =>
      all.flatMap((workload) => {
        const { containerPort = 0 } =
          part.spec.containers.flatMap(({ ports }) => ports).find(({ name }) => name !== 'cluster') ?? {};
        const through = allowsConnection(manifests, workload, part, containerPort);
        if (through === wanted.has(`${workload.name} ${part.name}`)) return [];
        return [`${workload.name}: ${through ? 'reaches' : 'does not reach'} ${part.name}`];
      }),
    ),
  ];
};

/** The Ingress controller reaches the services that an Ingress forwards to, and no others. */
const publicEdgeRule: Rule = (manifests) => {
  const forwarded = new Set(
    ofKind(manifests, 'Ingress').flatMap(({ spec }) =>
      spec.rules.flatMap(({ http }) => http.paths.map(({ backend }) => backend.service.name)),
    ),
  );
  return workloadsIn(manifests)
    .filter(({ name }) => SERVICES.includes(name))
    .flatMap((workload) => {
      const open = ofKind(manifests, 'NetworkPolicy').some(
        (policy) =>
          appliesTo(policy, workload) &&
          policy.spec.ingress.some(({ from }) =>
            from.some(
              ({ namespaceSelector }) =>
                namespaceSelector?.matchLabels['kubernetes.io/metadata.name'] === 'ingress-nginx',
            ),
          ),
      );
      if (open === forwarded.has(workload.name)) return [];
      return [`${workload.name}: is ${open ? 'open' : 'closed'} to the Ingress controller`];
    });
};

/** Workloads that reach hosts outside over HTTPS: execution a bucket, and webhook the receivers of events. */
const CALLERS_OF_OUTSIDE_HOSTS = ['execution', 'webhook'];

/** Only CALLERS_OF_OUTSIDE_HOSTS reach HTTPS outside of the cluster, webhook never in private networks; the nodes of NATS reach each other. */
const outsideRule: Rule = (manifests) => {
  const policies = ofKind(manifests, 'NetworkPolicy');
  const all = workloadsIn(manifests);
  const nats = all.find(({ name }) => name === 'nats');
  const routes = nats && allowsConnection(manifests, nats, nats, NATS_ROUTE_PORT);
  return [
    ...(routes ? [] : ['the nodes of NATS do not reach each other']),
    ...all.flatMap((workload) => {
      const through = externalPortsOf(policies, workload).includes(HTTPS_PORT);
      if (through === CALLERS_OF_OUTSIDE_HOSTS.includes(workload.name)) return [];
      return [`${workload.name}: ${through ? 'reaches' : 'does not reach'} hosts outside`];
    }),
    ...policies
      .filter((policy) => all.some((workload) => workload.name === 'webhook' && appliesTo(policy, workload)))
      .flatMap(({ metadata, spec }) => spec.egress.map((rule) => ({ name: metadata.name, ...rule })))
      .filter(({ ports }) => ports.some(({ port }) => port === HTTPS_PORT))
      .flatMap(({ name, to }) => to.flatMap(({ ipBlock }) => ipBlock ?? []).map((block) => ({ name, ...block })))
      .filter(({ cidr, except = [] }) => cidr === '0.0.0.0/0' && !PRIVATE_NETWORKS.every((one) => except.includes(one)))
      .map(({ name }) => `NetworkPolicy ${name}: events reach private networks`),
  ];
};

export const networkRules = { network: networkRule };
export const productionNetworkRules = { publicEdge: publicEdgeRule, outside: outsideRule };
