import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { CronJob } from 'kubernetes-models/batch/v1/CronJob';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Namespace } from 'kubernetes-models/v1/Namespace';
import { PersistentVolumeClaim } from 'kubernetes-models/v1/PersistentVolumeClaim';
import { Secret } from 'kubernetes-models/v1/Secret';
import { Service } from 'kubernetes-models/v1/Service';

const MODELS = [
  ConfigMap,
  CronJob,
  Deployment,
  HorizontalPodAutoscaler,
  Ingress,
  Job,
  Namespace,
  NetworkPolicy,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  Secret,
  Service,
  StatefulSet,
];

/**
 * The problems of an object by the schemas of Kubernetes. These allow unknown fields, which the API server drops; here an
 * unknown field is a problem, too.
 */
export function schemaProblems(object: Record<string, unknown>): string[] {
  const { apiVersion, kind } = object;
  const model = MODELS.find((one) => one.kind === kind && one.apiVersion === apiVersion);
  if (!model) return [`${String(apiVersion)} ${String(kind)} has no schema`];
  const watched = new ReadsOfObject(object, String(kind));
  try {
    model.prototype.validate.call(watched.proxy);
  } catch (error) {
    return [`${String(kind)}: ${error instanceof Error ? error.message : String(error)}`];
  }
  return watched.unread();
}

/** Notes which fields of an object, and of the objects within it, are read through `proxy`. */
class ReadsOfObject {
  readonly proxy: object;
  private readonly read = new Set<PropertyKey>();
  private readonly parts = new Map<PropertyKey, ReadsOfObject>();

  constructor(
    private readonly object: object,
    private readonly at: string,
  ) {
    this.proxy = new Proxy(object, {
      get: (target, key) => {
        this.read.add(key);
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== 'object' || value === null) return value;
        const known = this.parts.get(key) ?? new ReadsOfObject(value, `${this.at}.${String(key)}`);
        this.parts.set(key, known);
        return known.proxy;
      },
    });
  }

  /** A problem for each field that was not read. */
  unread(): string[] {
    const own = Object.keys(this.object).filter((key) => !this.read.has(key));
    return [
      ...own.map((key) => `${this.at}.${key} is no field`),
      ...[...this.parts.values()].flatMap((part) => part.unread()),
    ];
  }
}
