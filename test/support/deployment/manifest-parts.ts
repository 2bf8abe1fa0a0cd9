import { ofKind, type Container, type Manifest, type PodSpec } from './manifest';

export interface Workload {
  name: string;
  kind: 'Deployment' | 'StatefulSet' | 'Job';
  /** The maximum number, including the extra pods of a rolling update. */
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
  /** True when the container runs until its pod ends; false for init containers and the containers of a Job. */
  stays: boolean;
}

export function workloads(manifests: Manifest[]): Workload[] {
  const of = (manifest: Extract<Manifest, { kind: Workload['kind'] }>, pods: number, disks: string[] = []) => ({
    name: manifest.metadata.name,
    kind: manifest.kind,
    pods,
    labels: manifest.spec.template.metadata.labels,
    spec: manifest.spec.template.spec,
    disks,
  });
  return [
    ...ofKind(manifests, 'Deployment').map((deployment) =>
      of(deployment, deployment.spec.replicas + (deployment.spec.strategy.rollingUpdate?.maxSurge ?? 0)),
    ),
    ...ofKind(manifests, 'StatefulSet').map((set) =>
      of(
        set,
        set.spec.replicas,
        set.spec.volumeClaimTemplates.map(({ metadata }) => metadata.name),
      ),
    ),
    ...ofKind(manifests, 'Job').map((job) => of(job, 1)),
  ];
}

export function containers(manifests: Manifest[]): PlacedContainer[] {
  return workloads(manifests).flatMap((workload) => {
    const { name, kind, spec } = workload;
    const placed = (container: Container, stays: boolean) => ({
      at: `${name}/${container.name}`,
      container,
      workload,
      stays,
    });
    return [
      ...spec.initContainers.map((container) => placed(container, false)),
      ...spec.containers.map((container) => placed(container, kind !== 'Job')),
    ];
  });
}

export function selects(selector: Record<string, string>, labels: Record<string, string>): boolean {
  return Object.entries(selector).every(([label, value]) => labels[label] === value);
}

export interface Environment {
  /** The environment variables of the process, secrets included. */
  values: Record<string, string>;
  /** Variables that only serve to build another one. */
  parts: Set<string>;
  /** References to nothing. */
  dangling: string[];
}

const REFERENCE = /\$\(([^)]+)\)/g;

/** A container's environment as the kubelet makes it: ConfigMaps first, then each variable with `$(EARLIER)` replaced. */
export function environment({ env, envFrom }: Container, manifests: Manifest[]): Environment {
  const seen: Environment = { values: {}, parts: new Set(), dangling: [] };
  for (const { configMapRef } of envFrom) {
    const map = ofKind(manifests, 'ConfigMap').find(({ metadata }) => metadata.name === configMapRef.name);
    if (!map) seen.dangling.push(`ConfigMap ${configMapRef.name}`);
    Object.assign(seen.values, map?.data);
  }
  for (const { name, value, valueFrom } of env) {
    seen.values[name] = valueFrom ? secret(valueFrom.secretKeyRef, manifests, seen) : replaced(value ?? '', seen);
  }
  return seen;
}

function secret(reference: { name: string; key: string }, manifests: Manifest[], { dangling }: Environment): string {
  const found = ofKind(manifests, 'Secret').find(({ metadata }) => metadata.name === reference.name);
  const value = found?.data[reference.key];
  if (value === undefined) dangling.push(`Secret ${reference.name}, key ${reference.key}`);
  return value ?? '';
}

function replaced(text: string, { values, parts, dangling }: Environment): string {
  return text.replace(REFERENCE, (_whole, name: string) => {
    parts.add(name);
    const value = values[name];
    if (value === undefined) dangling.push(`$(${name})`);
    return value ?? '';
  });
}
