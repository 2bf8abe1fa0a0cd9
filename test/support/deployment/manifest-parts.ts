import { ofKind, type Container, type Manifest, type PodSpec } from './manifest';

export interface Workload {
  name: string;
  kind: 'Deployment' | 'StatefulSet' | 'Job' | 'CronJob';
  /**
   * The maximum number of pods; of a Deployment twice its maximum of replicas, because in a rolling update a pod that stops may run beside
   * its successor.
   */
  pods: number;
  labels: Record<string, string>;
  spec: PodSpec;
  /** Names of the volumes that are persistent disks of this workload. */
  disks: string[];
}

export interface PlacedContainer {
  /** The name of the container in problems, such as `gateway/await-schema`. */
  at: string;
  container: Container;
  workload: Workload;
  /** True when the container runs until its pod ends; false for init containers and the containers of a Job or CronJob. */
  isLongRunning: boolean;
}

export function workloadsIn(manifests: Manifest[]): Workload[] {
  const toWorkload = (manifest: Extract<Manifest, { kind: Workload['kind'] }>, pods: number, disks: string[] = []) => ({
    name: manifest.metadata.name,
    kind: manifest.kind,
    pods,
    labels: templateOf(manifest).metadata.labels,
    spec: templateOf(manifest).spec,
    disks,
  });
  return [
    ...ofKind(manifests, 'Deployment').map((deployment) => {
      const { most } = replicasOf(deployment, manifests);
      return toWorkload(deployment, 2 * most);
    }),
    ...ofKind(manifests, 'StatefulSet').map((set) =>
      toWorkload(
        set,
        set.spec.replicas,
        set.spec.volumeClaimTemplates.map(({ metadata }) => metadata.name),
      ),
    ),
    ...ofKind(manifests, 'Job').map((job) => toWorkload(job, 1)),
    ...ofKind(manifests, 'CronJob').map((job) => toWorkload(job, 1)),
  ];
}

function templateOf(manifest: Extract<Manifest, { kind: Workload['kind'] }>) {
  return manifest.kind === 'CronJob' ? manifest.spec.jobTemplate.spec.template : manifest.spec.template;
}

/** The minimum and maximum number of replicas of a Deployment: its own number, or the bounds of its autoscaler. */
export function replicasOf(
  { metadata, spec: { replicas } }: Extract<Manifest, { kind: 'Deployment' }>,
  manifests: Manifest[],
): { least: number; most: number } {
  const scaler = ofKind(manifests, 'HorizontalPodAutoscaler').find(
    ({ spec }) => spec.scaleTargetRef.name === metadata.name,
  );
  if (scaler && replicas === undefined) return { least: scaler.spec.minReplicas, most: scaler.spec.maxReplicas };
  return { least: replicas ?? 1, most: replicas ?? 1 };
}

export function containersIn(manifests: Manifest[]): PlacedContainer[] {
  return workloadsIn(manifests).flatMap((workload) => {
    const { name, kind, spec } = workload;
    const place = (container: Container, isLongRunning: boolean) => ({
      at: `${name}/${container.name}`,
      container,
      workload,
      isLongRunning,
    });
    return [
      ...spec.initContainers.map((container) => place(container, false)),
      ...spec.containers.map((container) => place(container, kind !== 'Job' && kind !== 'CronJob')),
    ];
  });
}

export function matchesLabels(selector: Record<string, string>, labels: Record<string, string>): boolean {
  return Object.entries(selector).every(([label, value]) => labels[label] === value);
}

export interface ContainerEnvironment {
  /** The environment variables of the process, secrets included; a field of the pod is `sample`, a key that no Secret has an empty text. */
  values: Record<string, string>;
  /** Names of variables that the value of another variable refers to. */
  parts: Set<string>;
  /** References whose target does not exist. */
  danglingReferences: string[];
}

const VARIABLE_REFERENCE = /\$\(([^)]+)\)/g;

/**
 * A container's environment as the kubelet makes it: ConfigMaps first, then each variable with `$(EARLIER)` replaced. In place of
 * a variable `X_FILE` with the path of a mounted secret it has `X` with the secret; without `spec` these variables stay as they are.
 */
export function environmentOf(container: Container, manifests: Manifest[], spec?: PodSpec): ContainerEnvironment {
  const seen: ContainerEnvironment = { values: {}, parts: new Set(), danglingReferences: [] };
  for (const { configMapRef } of container.envFrom) {
    const map = ofKind(manifests, 'ConfigMap').find(({ metadata }) => metadata.name === configMapRef.name);
    if (!map) seen.danglingReferences.push(`ConfigMap ${configMapRef.name}`);
    Object.assign(seen.values, map?.data);
  }
  for (const { name, value = '', valueFrom } of container.env) {
    if (valueFrom?.secretKeyRef) seen.values[name] = secretValueOf(valueFrom.secretKeyRef, manifests, seen);
    else if (valueFrom) seen.values[name] = 'sample';
    else if (name.endsWith('_FILE') && spec) {
      const file = mountedSecrets(container, spec).find(({ path }) => path === value);
      if (!file) seen.danglingReferences.push(`file ${value}`);
      else seen.values[name.replace(/_FILE$/, '')] = secretValueOf(file, manifests, seen);
    } else seen.values[name] = replaceReferences(value, seen);
  }
  return seen;
}

/** The files with secrets that a container sees. */
export function mountedSecrets(
  { volumeMounts }: Container,
  { volumes }: PodSpec,
): { path: string; name: string; key: string }[] {
  return volumeMounts.flatMap((mount) =>
    (volumes.find(({ name }) => name === mount.name)?.projected?.sources ?? []).flatMap(({ secret: { name, items } }) =>
      items.map(({ key, path }) => ({ path: `${mount.mountPath}/${path}`, name, key })),
    ),
  );
}

function secretValueOf(
  reference: { name: string; key: string },
  manifests: Manifest[],
  { danglingReferences }: ContainerEnvironment,
): string {
  const found = ofKind(manifests, 'Secret').find(({ metadata }) => metadata.name === reference.name);
  const value = found?.data[reference.key];
  if (value === undefined) danglingReferences.push(`Secret ${reference.name}, key ${reference.key}`);
  return value ?? '';
}

function replaceReferences(text: string, { values, parts, danglingReferences }: ContainerEnvironment): string {
  return text.replace(VARIABLE_REFERENCE, (_whole, name: string) => {
    parts.add(name);
    const value = values[name];
    if (value === undefined) danglingReferences.push(`$(${name})`);
    return value ?? '';
  });
}
