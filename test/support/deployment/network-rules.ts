import { ofKind, type Manifest } from './manifest';
import type { Rule } from './pod-rules';
import { SERVICES } from './settings';
import { containers, environment, selects, workloads, type Workload } from './manifest-parts';

type Policy = Extract<Manifest, { kind: 'NetworkPolicy' }>;

function covers({ spec: { podSelector } }: Policy, { labels }: Workload): boolean {
  const { matchLabels = {}, matchExpressions = [] } = podSelector;
  return (
    selects(matchLabels, labels) && matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? ''))
  );
}

const isForAll = ({ spec: { podSelector } }: Policy) => Object.keys(podSelector).length === 0;

const isClosed = (policy: Policy) =>
  isForAll(policy) &&
  policy.spec.ingress.length + policy.spec.egress.length === 0 &&
  policy.spec.policyTypes.length === 2;

/** Whether some policy lets pod `from` out to that port of pod `to`, and some policy lets it in there. */
function letsThrough(manifests: Manifest[], from: Workload, to: Workload, port: number): boolean {
  const policies = ofKind(manifests, 'NetworkPolicy');
  const names = (peers: { podSelector?: { matchLabels: Record<string, string> } }[], { labels }: Workload) =>
    peers.some(({ podSelector }) => podSelector && selects(podSelector.matchLabels, labels));
  const open = (ports: { port: number }[]) => ports.some((allowed) => allowed.port === port);
  const out = policies.some(
    (policy) => covers(policy, from) && policy.spec.egress.some((rule) => names(rule.to, to) && open(rule.ports)),
  );
  const into = policies.some(
    (policy) => covers(policy, to) && policy.spec.ingress.some((rule) => names(rule.from, from) && open(rule.ports)),
  );
  return out && into;
}

/** One policy closes everything; only workloads with the URL of MariaDB or NATS among their settings reach it. */
const network: Rule = (manifests) => {
  const policies = ofKind(manifests, 'NetworkPolicy');
  const all = workloads(manifests);
  const wanted = new Set(
    containers(manifests).flatMap(({ container, workload }) =>
      Object.entries(environment(container, manifests).values)
        .filter(([name]) => name.endsWith('_URL'))
        .map(([, value]) => `${workload.name} ${new URL(value).hostname}`),
    ),
  );
  const parts = all.filter(({ name }) => name === 'mariadb' || name === 'nats');
  return [
    ...(policies.some(isClosed) ? [] : ['no policy closes everything']),
    ...policies.flatMap((policy) =>
      isForAll(policy) || all.some((workload) => covers(policy, workload))
        ? []
        : [`NetworkPolicy ${policy.metadata.name}: covers nothing`],
    ),
    ...parts.flatMap((part) =>
      all.flatMap((workload) => {
        const [port] = part.spec.containers.flatMap(({ ports }) => ports);
        const through = letsThrough(manifests, workload, part, port?.containerPort ?? 0);
        if (through === wanted.has(`${workload.name} ${part.name}`)) return [];
        return [`${workload.name}: ${through ? 'reaches' : 'does not reach'} ${part.name}`];
      }),
    ),
  ];
};

/** The Ingress controller reaches the services that an Ingress forwards to, and no others. */
const publicEdge: Rule = (manifests) => {
  const forwarded = new Set(
    ofKind(manifests, 'Ingress').flatMap(({ spec }) =>
      spec.rules.flatMap(({ http }) => http.paths.map(({ backend }) => backend.service.name)),
    ),
  );
  return workloads(manifests)
    .filter(({ name }) => SERVICES.includes(name))
    .flatMap((workload) => {
      const open = ofKind(manifests, 'NetworkPolicy').some(
        (policy) =>
          covers(policy, workload) &&
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

export const networkRules = { network, publicEdge };
