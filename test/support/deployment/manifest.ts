import { z } from 'zod';

/**
 * The parts of Kubernetes that k8s/ uses, strictly: a field that is not listed here is a misspelt one, which the cluster
 * would drop without a word, or one that the rules do not know yet.
 */
const labels = z.record(z.string(), z.string());
const metadata = z.strictObject({
  name: z.string(),
  namespace: z.string().optional(),
  labels: labels.optional(),
  annotations: labels.optional(),
});
const port = z.union([z.string(), z.number()]);
const matchLabels = z.strictObject({ matchLabels: labels });

const probe = z.strictObject({
  httpGet: z.strictObject({ path: z.string(), port }).optional(),
  exec: z.strictObject({ command: z.array(z.string()) }).optional(),
  periodSeconds: z.number(),
  timeoutSeconds: z.number().optional(),
  failureThreshold: z.number().optional(),
});

const quantities = z.strictObject({ cpu: z.string(), memory: z.string() });

const environmentVariable = z.strictObject({
  name: z.string(),
  value: z.string().optional(),
  valueFrom: z.strictObject({ secretKeyRef: z.strictObject({ name: z.string(), key: z.string() }) }).optional(),
});

const container = z.strictObject({
  name: z.string(),
  image: z.string(),
  command: z.array(z.string()).optional(),
  envFrom: z.array(z.strictObject({ configMapRef: z.strictObject({ name: z.string() }) })).default([]),
  env: z.array(environmentVariable).default([]),
  ports: z.array(z.strictObject({ name: z.string(), containerPort: z.number() })).default([]),
  startupProbe: probe.optional(),
  livenessProbe: probe.optional(),
  readinessProbe: probe.optional(),
  lifecycle: z
    .strictObject({ preStop: z.strictObject({ exec: z.strictObject({ command: z.array(z.string()) }) }) })
    .optional(),
  resources: z.strictObject({ requests: quantities, limits: quantities }).optional(),
  securityContext: z
    .strictObject({
      allowPrivilegeEscalation: z.boolean(),
      readOnlyRootFilesystem: z.boolean(),
      capabilities: z.strictObject({ drop: z.array(z.string()) }),
    })
    .optional(),
  volumeMounts: z
    .array(
      z.strictObject({
        name: z.string(),
        mountPath: z.string(),
        subPath: z.string().optional(),
        readOnly: z.boolean().optional(),
      }),
    )
    .default([]),
});

const podSpec = z.strictObject({
  restartPolicy: z.enum(['OnFailure', 'Never', 'Always']).optional(),
  automountServiceAccountToken: z.boolean().optional(),
  enableServiceLinks: z.boolean().optional(),
  terminationGracePeriodSeconds: z.number().default(30),
  securityContext: z
    .strictObject({
      runAsNonRoot: z.boolean(),
      runAsUser: z.number(),
      runAsGroup: z.number(),
      fsGroup: z.number().optional(),
      fsGroupChangePolicy: z.string().optional(),
      seccompProfile: z.strictObject({ type: z.string() }),
    })
    .optional(),
  topologySpreadConstraints: z
    .array(
      z.strictObject({
        maxSkew: z.number(),
        topologyKey: z.string(),
        whenUnsatisfiable: z.string(),
        labelSelector: matchLabels,
      }),
    )
    .optional(),
  initContainers: z.array(container).default([]),
  containers: z.array(container).min(1),
  volumes: z
    .array(
      z.strictObject({
        name: z.string(),
        emptyDir: z.strictObject({ sizeLimit: z.string() }).optional(),
        configMap: z.strictObject({ name: z.string() }).optional(),
      }),
    )
    .default([]),
});

const template = z.strictObject({ metadata: z.strictObject({ labels }), spec: podSpec });

const peer = z.strictObject({
  podSelector: matchLabels.optional(),
  namespaceSelector: matchLabels.optional(),
});
const allowedPorts = z.array(z.strictObject({ protocol: z.enum(['TCP', 'UDP']), port: z.number() }));
const podSelector = z.strictObject({
  matchLabels: labels.optional(),
  matchExpressions: z
    .array(z.strictObject({ key: z.string(), operator: z.literal('In'), values: z.array(z.string()) }))
    .optional(),
});
const backend = z.strictObject({
  service: z.strictObject({ name: z.string(), port: z.strictObject({ name: z.string() }) }),
});

const kind = <Name extends string, Shape extends z.ZodRawShape>(apiVersion: string, name: Name, shape: Shape) =>
  z.strictObject({ apiVersion: z.literal(apiVersion), kind: z.literal(name), metadata, ...shape });

export const manifestSchema = z.discriminatedUnion('kind', [
  kind('v1', 'Namespace', {}),
  kind('v1', 'ConfigMap', { data: z.record(z.string(), z.string()) }),
  kind('v1', 'Secret', { data: z.record(z.string(), z.string()) }),
  kind('v1', 'Service', {
    spec: z.strictObject({
      clusterIP: z.literal('None').optional(),
      selector: labels,
      ports: z.array(z.strictObject({ name: z.string(), port: z.number(), targetPort: port })),
    }),
  }),
  kind('apps/v1', 'Deployment', {
    spec: z.strictObject({
      replicas: z.number(),
      revisionHistoryLimit: z.number().optional(),
      selector: matchLabels,
      strategy: z.strictObject({
        type: z.enum(['RollingUpdate', 'Recreate']),
        rollingUpdate: z.strictObject({ maxSurge: z.number(), maxUnavailable: z.number() }).optional(),
      }),
      template,
    }),
  }),
  kind('apps/v1', 'StatefulSet', {
    spec: z.strictObject({
      serviceName: z.string(),
      replicas: z.number(),
      selector: matchLabels,
      template,
      volumeClaimTemplates: z.array(
        z.strictObject({
          metadata: z.strictObject({ name: z.string(), labels: labels.optional() }),
          spec: z.strictObject({
            accessModes: z.array(z.string()),
            resources: z.strictObject({ requests: z.strictObject({ storage: z.string() }) }),
          }),
        }),
      ),
    }),
  }),
  kind('batch/v1', 'Job', {
    spec: z.strictObject({ backoffLimit: z.number(), activeDeadlineSeconds: z.number(), template }),
  }),
  kind('policy/v1', 'PodDisruptionBudget', {
    spec: z.strictObject({ minAvailable: z.number(), selector: matchLabels }),
  }),
  kind('networking.k8s.io/v1', 'NetworkPolicy', {
    spec: z.strictObject({
      podSelector,
      policyTypes: z.array(z.enum(['Ingress', 'Egress'])),
      ingress: z.array(z.strictObject({ from: z.array(peer), ports: allowedPorts })).default([]),
      egress: z.array(z.strictObject({ to: z.array(peer), ports: allowedPorts })).default([]),
    }),
  }),
  kind('networking.k8s.io/v1', 'Ingress', {
    spec: z.strictObject({
      ingressClassName: z.string(),
      tls: z.array(z.strictObject({ hosts: z.array(z.string()), secretName: z.string() })),
      rules: z.array(
        z.strictObject({
          host: z.string(),
          http: z.strictObject({
            paths: z.array(z.strictObject({ path: z.string(), pathType: z.literal('Prefix'), backend })),
          }),
        }),
      ),
    }),
  }),
]);

export type Manifest = z.infer<typeof manifestSchema>;
export type Container = z.infer<typeof container>;
export type PodSpec = z.infer<typeof podSpec>;
export type Kind = Manifest['kind'];

export function ofKind<K extends Kind>(manifests: Manifest[], wanted: K): Extract<Manifest, { kind: K }>[] {
  return manifests.filter((manifest): manifest is Extract<Manifest, { kind: K }> => manifest.kind === wanted);
}
