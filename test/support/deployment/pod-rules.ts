import type { Manifest } from './manifest';
import { splitImage } from './kustomize';
import { hasSource, programOf } from './settings';
import { containersIn, workloadsIn } from './manifest-parts';

/** Returns the problems of the manifests of an overlay, one line each, with the place; none when they follow the rule. */
export type Rule = (manifests: Manifest[]) => string[];

const HEALTH_PATH_OF_PROBE = {
  startupProbe: '/health/live',
  livenessProbe: '/health/live',
  readinessProbe: '/health/ready',
} as const;
const PROBES = ['startupProbe', 'livenessProbe', 'readinessProbe'] as const;

/** Every long-running container has the three probes; a program of this project answers them over HTTP, at the paths that every service has. */
const probesRule: Rule = (manifests) =>
  containersIn(manifests)
    .filter(({ isLongRunning }) => isLongRunning)
    .flatMap(({ at, container }) =>
      PROBES.flatMap((name) => {
        const probe = container[name];
        if (!probe?.httpGet && !probe?.exec) return [`${at}: no ${name}`];
        const ours = programOf(container.command) !== undefined;
        return ours && probe.httpGet?.path !== HEALTH_PATH_OF_PROBE[name]
          ? [`${at}: ${name} is not at ${HEALTH_PATH_OF_PROBE[name]}`]
          : [];
      }),
    );

/** Every container has requests and limits of resources, and the garbage collector of NATS knows the limit of its memory. */
const resourcesRule: Rule = (manifests) =>
  containersIn(manifests).flatMap(({ at, container: { name, resources, env } }) => {
    if (!resources) return [`${at}: no resources`];
    const softLimit = env.find((variable) => variable.name === 'GOMEMLIMIT')?.value;
    return name !== 'nats' || isSoftLimit(softLimit, resources.limits.memory)
      ? []
      : [`${at}: GOMEMLIMIT does not fit the memory limit`];
  });

/** Whether a GOMEMLIMIT is 80 to 90 percent of a memory limit in megabytes. */
export function isSoftLimit(softLimit: string | undefined, limit: string): boolean {
  const share = Number(/^(\d+)MiB$/.exec(softLimit ?? '')?.[1]) / Number.parseInt(limit, 10);
  return share >= 0.8 && share <= 0.9;
}

/** No pod runs as root, gains rights, writes to its image, or gets a token for the API of the cluster. */
const lockedDownRule: Rule = (manifests) => [
  ...containersIn(manifests).flatMap(({ at, container: { securityContext: own } }) => [
    ...(own?.allowPrivilegeEscalation === false ? [] : [`${at}: may gain privileges`]),
    ...(own?.readOnlyRootFilesystem === true ? [] : [`${at}: may write to its image`]),
    ...(own?.capabilities.drop.includes('ALL') ? [] : [`${at}: keeps capabilities`]),
  ]),
  ...workloadsIn(manifests).flatMap(({ name, spec }) => [
    ...(spec.securityContext?.runAsNonRoot && spec.securityContext.runAsUser > 0 ? [] : [`${name}: may run as root`]),
    ...(spec.securityContext?.seccompProfile.type === 'RuntimeDefault' ? [] : [`${name}: no seccomp profile`]),
    ...(spec.automountServiceAccountToken === false ? [] : [`${name}: gets a token for the cluster's API`]),
    // The cluster would add NATS_PORT, GATEWAY_PORT and the like, for every Service there is.
    ...(spec.enableServiceLinks === false ? [] : [`${name}: gets variables named after Services`]),
  ]),
];

/** True for an image with a digest or with a tag other than latest. */
export function isPinned(image: string): boolean {
  const { tag, digest } = splitImage(image);
  return digest !== undefined || (tag !== undefined && tag !== 'latest');
}

/** Every image has a digest or a tag other than latest. */
const imagesRule: Rule = (manifests) =>
  containersIn(manifests).flatMap(({ at, container: { image } }) =>
    isPinned(image) ? [] : [`${at}: image ${image} is not pinned`],
  );

/** Every program that a container starts is built from a source of this project. */
const programsRule: Rule = (manifests) =>
  containersIn(manifests).flatMap(({ at, container: { command } }) => {
    const program = programOf(command);
    return program === undefined || hasSource(program) ? [] : [`${at}: nothing builds ${program}`];
  });

/** Every mount has its volume, and every ConfigMap and key that a volume shows exists. */
const volumesRule: Rule = (manifests) =>
  containersIn(manifests).flatMap(({ at, container, workload: { spec, disks } }) =>
    container.volumeMounts.flatMap(({ name, subPath }) => {
      if (disks.includes(name)) return [];
      const volume = spec.volumes.find((candidate) => candidate.name === name);
      if (!volume) return [`${at}: there is no volume ${name}`];
      if (!volume.configMap) return [];
      const map = manifests.find(
        (manifest) => manifest.kind === 'ConfigMap' && manifest.metadata.name === volume.configMap?.name,
      );
      const found = map?.kind === 'ConfigMap' && (subPath === undefined || subPath in map.data);
      return found ? [] : [`${at}: volume ${name} shows a ConfigMap or a key that is not there`];
    }),
  );

export const podRules = {
  probes: probesRule,
  resources: resourcesRule,
  lockedDown: lockedDownRule,
  images: imagesRule,
  programs: programsRule,
  volumes: volumesRule,
};
