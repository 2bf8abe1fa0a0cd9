import * as s from '../shape';

/**
 * Strict schemas of the Kubernetes fields that k8s/ uses. A field that is not listed is either misspelt, and the cluster
 * would ignore it silently, or new, and the rules do not check it yet.
 */
const labels = s.dictionary(s.text());
const metadata = s.exactObject({
  name: s.text(),
  namespace: s.text().optional(),
  labels: labels.optional(),
  annotations: labels.optional(),
});
const port = s.anyOf(s.text(), s.number);
const matchLabels = s.exactObject({ matchLabels: labels });

const probe = s.exactObject({
  httpGet: s.exactObject({ path: s.text(), port }).optional(),
  exec: s.exactObject({ command: s.list(s.text()) }).optional(),
  periodSeconds: s.number,
  timeoutSeconds: s.number.optional(),
  failureThreshold: s.number.optional(),
});

const quantities = s.exactObject({ cpu: s.text(), memory: s.text() });

const environmentVariable = s.exactObject({
  name: s.text(),
  value: s.text().optional(),
  valueFrom: s.exactObject({ secretKeyRef: s.exactObject({ name: s.text(), key: s.text() }) }).optional(),
});

const container = s.exactObject({
  name: s.text(),
  image: s.text(),
  command: s.list(s.text()).optional(),
  envFrom: s.list(s.exactObject({ configMapRef: s.exactObject({ name: s.text() }) })).default([]),
  env: s.list(environmentVariable).default([]),
  ports: s.list(s.exactObject({ name: s.text(), containerPort: s.number })).default([]),
  startupProbe: probe.optional(),
  livenessProbe: probe.optional(),
  readinessProbe: probe.optional(),
  lifecycle: s
    .exactObject({ preStop: s.exactObject({ exec: s.exactObject({ command: s.list(s.text()) }) }) })
    .optional(),
  resources: s.exactObject({ requests: quantities, limits: quantities }).optional(),
  securityContext: s
    .exactObject({
      allowPrivilegeEscalation: s.flag,
      readOnlyRootFilesystem: s.flag,
      capabilities: s.exactObject({ drop: s.list(s.text()) }),
    })
    .optional(),
  volumeMounts: s
    .list(
      s.exactObject({
        name: s.text(),
        mountPath: s.text(),
        subPath: s.text().optional(),
        readOnly: s.flag.optional(),
      }),
    )
    .default([]),
});

const podSpec = s.exactObject({
  restartPolicy: s.oneOf('OnFailure', 'Never', 'Always').optional(),
  automountServiceAccountToken: s.flag.optional(),
  enableServiceLinks: s.flag.optional(),
  terminationGracePeriodSeconds: s.number.default(30),
  securityContext: s
    .exactObject({
      runAsNonRoot: s.flag,
      runAsUser: s.number,
      runAsGroup: s.number,
      fsGroup: s.number.optional(),
      fsGroupChangePolicy: s.text().optional(),
      seccompProfile: s.exactObject({ type: s.text() }),
    })
    .optional(),
  topologySpreadConstraints: s
    .list(
      s.exactObject({
        maxSkew: s.number,
        topologyKey: s.text(),
        whenUnsatisfiable: s.text(),
        labelSelector: matchLabels,
      }),
    )
    .optional(),
  initContainers: s.list(container).default([]),
  containers: s.list(container, 1),
  volumes: s
    .list(
      s.exactObject({
        name: s.text(),
        emptyDir: s.exactObject({ sizeLimit: s.text() }).optional(),
        configMap: s.exactObject({ name: s.text() }).optional(),
      }),
    )
    .default([]),
});

const template = s.exactObject({ metadata: s.exactObject({ labels }), spec: podSpec });

const peer = s.exactObject({
  podSelector: matchLabels.optional(),
  namespaceSelector: matchLabels.optional(),
});
const allowedPorts = s.list(s.exactObject({ protocol: s.oneOf('TCP', 'UDP'), port: s.number }));
const podSelector = s.exactObject({
  matchLabels: labels.optional(),
  matchExpressions: s
    .list(s.exactObject({ key: s.text(), operator: s.exactly('In'), values: s.list(s.text()) }))
    .optional(),
});
const backend = s.exactObject({
  service: s.exactObject({ name: s.text(), port: s.exactObject({ name: s.text() }) }),
});

const shapeOf = <Name extends string, Fields extends s.Fields>(apiVersion: string, kind: Name, fields: Fields) =>
  s.exactObject({ apiVersion: s.exactly(apiVersion), kind: s.exactly(kind), metadata, ...fields });

const MANIFESTS = {
  Namespace: shapeOf('v1', 'Namespace', {}),
  ConfigMap: shapeOf('v1', 'ConfigMap', { data: s.dictionary(s.text()) }),
  Secret: shapeOf('v1', 'Secret', { data: s.dictionary(s.text()) }),
  Service: shapeOf('v1', 'Service', {
    spec: s.exactObject({
      clusterIP: s.exactly('None').optional(),
      selector: labels,
      ports: s.list(s.exactObject({ name: s.text(), port: s.number, targetPort: port })),
    }),
  }),
  Deployment: shapeOf('apps/v1', 'Deployment', {
    spec: s.exactObject({
      replicas: s.number,
      revisionHistoryLimit: s.number.optional(),
      selector: matchLabels,
      strategy: s.exactObject({
        type: s.oneOf('RollingUpdate', 'Recreate'),
        rollingUpdate: s.exactObject({ maxSurge: s.number, maxUnavailable: s.number }).optional(),
      }),
      template,
    }),
  }),
  StatefulSet: shapeOf('apps/v1', 'StatefulSet', {
    spec: s.exactObject({
      serviceName: s.text(),
      replicas: s.number,
      selector: matchLabels,
      template,
      volumeClaimTemplates: s.list(
        s.exactObject({
          metadata: s.exactObject({ name: s.text(), labels: labels.optional() }),
          spec: s.exactObject({
            accessModes: s.list(s.text()),
            resources: s.exactObject({ requests: s.exactObject({ storage: s.text() }) }),
          }),
        }),
      ),
    }),
  }),
  Job: shapeOf('batch/v1', 'Job', {
    spec: s.exactObject({ backoffLimit: s.number, activeDeadlineSeconds: s.number, template }),
  }),
  PodDisruptionBudget: shapeOf('policy/v1', 'PodDisruptionBudget', {
    spec: s.exactObject({ minAvailable: s.number, selector: matchLabels }),
  }),
  NetworkPolicy: shapeOf('networking.k8s.io/v1', 'NetworkPolicy', {
    spec: s.exactObject({
      podSelector,
      policyTypes: s.list(s.oneOf('Ingress', 'Egress')),
      ingress: s.list(s.exactObject({ from: s.list(peer), ports: allowedPorts })).default([]),
      egress: s.list(s.exactObject({ to: s.list(peer), ports: allowedPorts })).default([]),
    }),
  }),
  Ingress: shapeOf('networking.k8s.io/v1', 'Ingress', {
    spec: s.exactObject({
      ingressClassName: s.text(),
      tls: s.list(s.exactObject({ hosts: s.list(s.text()), secretName: s.text() })),
      rules: s.list(
        s.exactObject({
          host: s.text(),
          http: s.exactObject({
            paths: s.list(s.exactObject({ path: s.text(), pathType: s.exactly('Prefix'), backend })),
          }),
        }),
      ),
    }),
  }),
};

export type Kind = keyof typeof MANIFESTS;
export type Manifest = { [K in Kind]: s.Infer<(typeof MANIFESTS)[K]> }[Kind];
export type Container = s.Infer<typeof container>;
export type PodSpec = s.Infer<typeof podSpec>;

const isKind = (kind: string): kind is Kind => kind in MANIFESTS;
const anyManifest = s.object({ kind: s.text() });

/** Throws an error that names the problem when the manifest has an unknown kind, or a field that its kind lacks. */
export function parseManifest(document: unknown): Manifest {
  const { kind } = anyManifest.parse(document);
  if (!isKind(kind)) throw new Error(`the kind ${kind} is unknown`);
  return MANIFESTS[kind].parse(document);
}

export function ofKind<K extends Kind>(manifests: Manifest[], wanted: K): Extract<Manifest, { kind: K }>[] {
  return manifests.filter((manifest): manifest is Extract<Manifest, { kind: K }> => manifest.kind === wanted);
}
