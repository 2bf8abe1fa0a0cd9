import type { Manifest } from './manifest';
import { imageParts } from './kustomize';
import { hasSource, programOf } from './settings';
import { containers, workloads } from './manifest-parts';

/** Each rule gives its problems: one line each, with the place. */
export type Rule = (manifests: Manifest[]) => string[];

const HEALTH = {
  startupProbe: '/health/live',
  livenessProbe: '/health/live',
  readinessProbe: '/health/ready',
} as const;
const PROBES = ['startupProbe', 'livenessProbe', 'readinessProbe'] as const;

/** A service answers its probes over HTTP, at the paths that every service has. */
const probes: Rule = (manifests) =>
  containers(manifests)
    .filter(({ stays }) => stays)
    .flatMap(({ at, container }) =>
      PROBES.flatMap((name) => {
        const probe = container[name];
        if (!probe?.httpGet && !probe?.exec) return [`${at}: no ${name}`];
        const ours = programOf(container.command) !== undefined;
        return ours && probe.httpGet?.path !== HEALTH[name] ? [`${at}: ${name} is not at ${HEALTH[name]}`] : [];
      }),
    );

const resources: Rule = (manifests) =>
  containers(manifests).flatMap(({ at, container: { resources: bounds } }) => (bounds ? [] : [`${at}: no resources`]));

const lockedDown: Rule = (manifests) => [
  ...containers(manifests).flatMap(({ at, container: { securityContext: own } }) => [
    ...(own?.allowPrivilegeEscalation === false ? [] : [`${at}: may gain privileges`]),
    ...(own?.readOnlyRootFilesystem === true ? [] : [`${at}: may write to its image`]),
    ...(own?.capabilities.drop.includes('ALL') ? [] : [`${at}: keeps capabilities`]),
  ]),
  ...workloads(manifests).flatMap(({ name, spec }) => [
    ...(spec.securityContext?.runAsNonRoot && spec.securityContext.runAsUser > 0 ? [] : [`${name}: may run as root`]),
    ...(spec.securityContext?.seccompProfile.type === 'RuntimeDefault' ? [] : [`${name}: no seccomp profile`]),
    ...(spec.automountServiceAccountToken === false ? [] : [`${name}: gets a token for the cluster's API`]),
    // The cluster would add NATS_PORT, GATEWAY_PORT and the like, for every Service there is.
    ...(spec.enableServiceLinks === false ? [] : [`${name}: gets variables named after Services`]),
  ]),
];

export function isPinned(image: string): boolean {
  const { tag } = imageParts(image);
  return tag !== undefined && tag !== 'latest';
}

const images: Rule = (manifests) =>
  containers(manifests).flatMap(({ at, container: { image } }) =>
    isPinned(image) ? [] : [`${at}: image ${image} is not pinned`],
  );

const programs: Rule = (manifests) =>
  containers(manifests).flatMap(({ at, container: { command } }) => {
    const program = programOf(command);
    return program === undefined || hasSource(program) ? [] : [`${at}: nothing builds ${program}`];
  });

const volumes: Rule = (manifests) =>
  containers(manifests).flatMap(({ at, container, workload: { spec, disks } }) =>
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

export const podRules = { probes, resources, lockedDown, images, programs, volumes };
