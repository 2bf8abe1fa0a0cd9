import * as s from '../shape';

// Strict schemas of the Kubernetes fields that k8s/ uses. A field that is not listed is either misspelt, and the cluster would ignore it
// silently, or new, and the rules do not check it yet.

const labelsShape = s.dictionary(s.text());
const metadataShape = s.exactObject({
  name: s.text(),
  namespace: s.text().optional(),
  labels: labelsShape.optional(),
  annotations: labelsShape.optional(),
});
const portShape = s.anyOf(s.text(), s.number);
const matchLabelsShape = s.exactObject({ matchLabels: labelsShape });

const probeShape = s.exactObject({
  httpGet: s.exactObject({ path: s.text(), port: portShape }).optional(),
  exec: s.exactObject({ command: s.list(s.text()) }).optional(),
  periodSeconds: s.number,
  timeoutSeconds: s.number.optional(),
  failureThreshold: s.number.optional(),
});

const quantitiesShape = s.exactObject({ cpu: s.text(), memory: s.text() });

const environmentVariableShape = s.exactObject({
  name: s.text(),
  value: s.text().optional(),
  valueFrom: s
    .exactObject({
      secretKeyRef: s.exactObject({ name: s.text(), key: s.text(), optional: s.flag.optional() }).optional(),
      fieldRef: s.exactObject({ fieldPath: s.text() }).optional(),
    })
    .optional(),
});

const containerShape = s.exactObject({
  name: s.text(),
  image: s.text(),
  command: s.list(s.text()).optional(),
  envFrom: s.list(s.exactObject({ configMapRef: s.exactObject({ name: s.text() }) })).default([]),
  env: s.list(environmentVariableShape).default([]),
  ports: s.list(s.exactObject({ name: s.text(), containerPort: s.number })).default([]),
  startupProbe: probeShape.optional(),
  livenessProbe: probeShape.optional(),
  readinessProbe: probeShape.optional(),
  lifecycle: s
    .exactObject({ preStop: s.exactObject({ exec: s.exactObject({ command: s.list(s.text()) }) }) })
    .optional(),
  resources: s.exactObject({ requests: quantitiesShape, limits: quantitiesShape }).optional(),
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

const secretSourceShape = s.exactObject({
  secret: s.exactObject({
    name: s.text(),
    optional: s.flag.optional(),
    items: s.list(s.exactObject({ key: s.text(), path: s.text() })),
  }),
});

const podAffinityShape = s.exactObject({
  requiredDuringSchedulingIgnoredDuringExecution: s.list(
    s.exactObject({ topologyKey: s.text(), labelSelector: matchLabelsShape }),
  ),
});
const affinityShape = s.exactObject({
  podAffinity: podAffinityShape.optional(),
  podAntiAffinity: podAffinityShape.optional(),
});

const podSpecShape = s.exactObject({
  affinity: affinityShape.optional(),
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
        labelSelector: matchLabelsShape,
      }),
    )
    .optional(),
  initContainers: s.list(containerShape).default([]),
  containers: s.list(containerShape, 1),
  volumes: s
    .list(
      s.exactObject({
        name: s.text(),
        emptyDir: s.exactObject({ sizeLimit: s.text() }).optional(),
        configMap: s.exactObject({ name: s.text() }).optional(),
        persistentVolumeClaim: s.exactObject({ claimName: s.text() }).optional(),
        projected: s.exactObject({ defaultMode: s.number, sources: s.list(secretSourceShape) }).optional(),
      }),
    )
    .default([]),
});

const templateShape = s.exactObject({ metadata: s.exactObject({ labels: labelsShape }), spec: podSpecShape });

const peerShape = s.exactObject({
  podSelector: matchLabelsShape.optional(),
  namespaceSelector: matchLabelsShape.optional(),
  ipBlock: s.exactObject({ cidr: s.text(), except: s.list(s.text()).optional() }).optional(),
});
const allowedPortsShape = s.list(s.exactObject({ protocol: s.oneOf('TCP', 'UDP'), port: s.number }));
const podSelectorShape = s.exactObject({
  matchLabels: labelsShape.optional(),
  matchExpressions: s
    .list(s.exactObject({ key: s.text(), operator: s.exactly('In'), values: s.list(s.text()) }))
    .optional(),
});
const backendShape = s.exactObject({
  service: s.exactObject({ name: s.text(), port: s.exactObject({ name: s.text() }) }),
});

const metricShape = s.exactObject({
  type: s.oneOf('Resource', 'External'),
  resource: s
    .exactObject({
      name: s.exactly('cpu'),
      target: s.exactObject({ type: s.exactly('Utilization'), averageUtilization: s.number }),
    })
    .optional(),
  external: s
    .exactObject({
      metric: s.exactObject({ name: s.text(), selector: matchLabelsShape }),
      target: s.exactObject({ type: s.exactly('Value'), value: s.text() }),
    })
    .optional(),
});

const shapeOf = <Name extends string, Fields extends s.Fields>(apiVersion: string, kind: Name, fields: Fields) =>
  s.exactObject({ apiVersion: s.exactly(apiVersion), kind: s.exactly(kind), metadata: metadataShape, ...fields });

const MANIFEST_SHAPES = {
  Namespace: shapeOf('v1', 'Namespace', {}),
  ConfigMap: shapeOf('v1', 'ConfigMap', { data: s.dictionary(s.text()) }),
  Secret: shapeOf('v1', 'Secret', { type: s.text().optional(), data: s.dictionary(s.text()) }),
  Service: shapeOf('v1', 'Service', {
    spec: s.exactObject({
      clusterIP: s.exactly('None').optional(),
      publishNotReadyAddresses: s.flag.optional(),
      selector: labelsShape,
      ports: s.list(s.exactObject({ name: s.text(), port: s.number, targetPort: portShape })),
    }),
  }),
  Deployment: shapeOf('apps/v1', 'Deployment', {
    spec: s.exactObject({
      /** Absent when a HorizontalPodAutoscaler sets the number. */
      replicas: s.number.optional(),
      revisionHistoryLimit: s.number.optional(),
      selector: matchLabelsShape,
      strategy: s.exactObject({
        type: s.oneOf('RollingUpdate', 'Recreate'),
        rollingUpdate: s.exactObject({ maxSurge: s.number, maxUnavailable: s.number }).optional(),
      }),
      template: templateShape,
    }),
  }),
  StatefulSet: shapeOf('apps/v1', 'StatefulSet', {
    spec: s.exactObject({
      serviceName: s.text(),
      replicas: s.number,
      podManagementPolicy: s.exactly('Parallel').optional(),
      selector: matchLabelsShape,
      template: templateShape,
      volumeClaimTemplates: s
        .list(
          s.exactObject({
            metadata: s.exactObject({ name: s.text(), labels: labelsShape.optional() }),
            spec: s.exactObject({
              accessModes: s.list(s.text()),
              resources: s.exactObject({ requests: s.exactObject({ storage: s.text() }) }),
            }),
          }),
        )
        .default([]),
    }),
  }),
  Job: shapeOf('batch/v1', 'Job', {
    spec: s.exactObject({ backoffLimit: s.number, activeDeadlineSeconds: s.number, template: templateShape }),
  }),
  CronJob: shapeOf('batch/v1', 'CronJob', {
    spec: s.exactObject({
      suspend: s.flag.optional(),
      schedule: s.text(),
      concurrencyPolicy: s.exactly('Forbid'),
      jobTemplate: s.exactObject({
        metadata: s.exactObject({ labels: labelsShape }).optional(),
        spec: s.exactObject({ backoffLimit: s.number, activeDeadlineSeconds: s.number, template: templateShape }),
      }),
    }),
  }),
  PersistentVolumeClaim: shapeOf('v1', 'PersistentVolumeClaim', {
    spec: s.exactObject({
      accessModes: s.list(s.text()),
      resources: s.exactObject({ requests: s.exactObject({ storage: s.text() }) }),
    }),
  }),
  PodDisruptionBudget: shapeOf('policy/v1', 'PodDisruptionBudget', {
    spec: s.exactObject({
      maxUnavailable: s.number,
      // Without it, pods that are not ready block the drain of their machine while the database is away.
      unhealthyPodEvictionPolicy: s.exactly('AlwaysAllow'),
      selector: matchLabelsShape,
    }),
  }),
  HorizontalPodAutoscaler: shapeOf('autoscaling/v2', 'HorizontalPodAutoscaler', {
    spec: s.exactObject({
      scaleTargetRef: s.exactObject({
        apiVersion: s.exactly('apps/v1'),
        kind: s.exactly('Deployment'),
        name: s.text(),
      }),
      minReplicas: s.number,
      maxReplicas: s.number,
      metrics: s.list(metricShape, 1),
      behavior: s.exactObject({ scaleDown: s.anything }),
    }),
  }),
  NetworkPolicy: shapeOf('networking.k8s.io/v1', 'NetworkPolicy', {
    spec: s.exactObject({
      podSelector: podSelectorShape,
      policyTypes: s.list(s.oneOf('Ingress', 'Egress')),
      ingress: s.list(s.exactObject({ from: s.list(peerShape), ports: allowedPortsShape })).default([]),
      egress: s.list(s.exactObject({ to: s.list(peerShape), ports: allowedPortsShape })).default([]),
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
            paths: s.list(
              s.exactObject({ path: s.text(), pathType: s.oneOf('Prefix', 'Exact'), backend: backendShape }),
            ),
          }),
        }),
      ),
    }),
  }),
};

export type Kind = keyof typeof MANIFEST_SHAPES;
export type Manifest = { [K in Kind]: s.Infer<(typeof MANIFEST_SHAPES)[K]> }[Kind];
export type Container = s.Infer<typeof containerShape>;
export type PodSpec = s.Infer<typeof podSpecShape>;

const isKind = (kind: string): kind is Kind => kind in MANIFEST_SHAPES;
const anyManifestShape = s.object({ kind: s.text() });

/** Throws an error that names the problem when the manifest has an unknown kind, or a field that its kind lacks. */
export function parseManifest(document: unknown): Manifest {
  const { kind } = anyManifestShape.parse(document);
  if (!isKind(kind)) throw new Error(`the kind ${kind} is unknown`);
  return MANIFEST_SHAPES[kind].parse(document);
}

export function ofKind<K extends Kind>(manifests: Manifest[], wanted: K): Extract<Manifest, { kind: K }>[] {
  return manifests.filter((manifest): manifest is Extract<Manifest, { kind: K }> => manifest.kind === wanted);
}
