import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listenOnFreePort } from '../web-server';

/** An object of the cluster; `metadata` and `spec` have any fields. */
export interface StoredObject {
  apiVersion: string;
  kind: string;
  metadata: Record<string, unknown> & { name: string };
  [field: string]: unknown;
}

/** The kinds of objects, each with its group and version and with its plural name, which the paths of the API contain. */
const KINDS: [groupVersion: string, plural: string, kind: string][] = [
  ['v1', 'namespaces', 'Namespace'],
  ['v1', 'configmaps', 'ConfigMap'],
  ['v1', 'secrets', 'Secret'],
  ['v1', 'services', 'Service'],
  ['v1', 'pods', 'Pod'],
  ['v1', 'persistentvolumeclaims', 'PersistentVolumeClaim'],
  ['apps/v1', 'deployments', 'Deployment'],
  ['apps/v1', 'statefulsets', 'StatefulSet'],
  ['batch/v1', 'jobs', 'Job'],
  ['batch/v1', 'cronjobs', 'CronJob'],
  ['autoscaling/v2', 'horizontalpodautoscalers', 'HorizontalPodAutoscaler'],
  ['networking.k8s.io/v1', 'networkpolicies', 'NetworkPolicy'],
  ['networking.k8s.io/v1', 'ingresses', 'Ingress'],
  ['policy/v1', 'poddisruptionbudgets', 'PodDisruptionBudget'],
];
const GROUP_VERSIONS = [...new Set(KINDS.map(([groupVersion]) => groupVersion))];
const VERBS = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];
const SCALABLE = ['deployments', 'statefulsets'];
const PATH = /^\/(?:api|apis)\/((?:[\w.]+\/)?v\d)(?:\/namespaces\/([\w-]+))?(?:\/(\w+)(?:\/([\w.-]+))?(?:\/(\w+))?)?$/;

/**
 * The API of a cluster, as far as `kubectl` needs it for the commands of the documentation. It keeps objects and runs nothing: a Job is
 * complete and a workload available as soon as it is stored, and a workload without `replicas` gets one replica, as in a real cluster.
 */
export class FakeCluster {
  /** The stored objects by path, such as `jobs/migrate`; namespaces are not told apart. */
  readonly objects = new Map<string, StoredObject>();
  /** Creations, changes and deletions in their order, such as `create jobs/restore-1`. */
  readonly changes: string[] = [];
  private readonly server = createServer((request, response) => void this.answer(request, response));

  /** Starts the API and writes a kubeconfig into the folder; returns the path of that file. */
  async start(folder: string): Promise<string> {
    const port = await listenOnFreePort(this.server);
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'fake', cluster: { server: `http://127.0.0.1:${port}` } }],
      contexts: [{ name: 'fake', context: { cluster: 'fake', user: 'fake' } }],
      users: [{ name: 'fake', user: {} }],
      'current-context': 'fake',
    };
    const file = join(folder, 'kubeconfig');
    await writeFile(file, JSON.stringify(config));
    return file;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }

  /** The stored object with this path, such as `jobs/migrate`. */
  find(path: string): StoredObject | undefined {
    return this.objects.get(path);
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://fake');
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(Buffer.from(part));
    const body = Buffer.concat(parts).toString();
    const watches = url.searchParams.get('watch') === 'true';
    if (watches && url.searchParams.get('sendInitialEvents') !== 'true') {
      // Every object has its final status at once, so that no event follows the list.
      response.writeHead(200, { 'Content-Type': 'application/json' }).flushHeaders();
      return;
    }
    // Refuses to stream a list, as older servers do, so that the client first requests the list and then watches for changes.
    const { status, value } = watches
      ? failure(422, 'Invalid', 'sendInitialEvents is forbidden')
      : this.answerTo(request.method ?? '', url, body);
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
  }

  private answerTo(method: string, { pathname, searchParams }: URL, body: string): { status: number; value: object } {
    const discovered = discover(pathname);
    if (discovered) return { status: 200, value: discovered };
    const [, groupVersion = '', namespace, second, third, fourth] = PATH.exec(pathname) ?? [];
    // `/api/v1/namespaces/batuta` is the namespace itself.
    const [plural = '', name, part] = second === undefined ? ['namespaces', namespace] : [second, third, fourth];
    const kind = KINDS.find(([its, itsPlural]) => its === groupVersion && itsPlural === plural)?.[2];
    if (!kind) return notFound(pathname);
    if (method === 'POST') return this.create(plural, parseObject(body));
    if (name === undefined) return this.list(groupVersion, plural, kind, searchParams);
    const path = `${plural}/${name}`;
    const found = this.objects.get(path);
    if (!found) return notFound(path);
    if (method === 'DELETE') {
      this.objects.delete(path);
      this.changes.push(`delete ${path}`);
    } else if (method === 'PATCH' || method === 'PUT') {
      mergeInto(found, Object(JSON.parse(body)));
      this.store(path, found);
      this.changes.push(`change ${path}`);
    }
    return { status: 200, value: part === 'scale' ? scaleOf(found) : found };
  }

  private create(plural: string, object: StoredObject): { status: number; value: object } {
    const path = `${plural}/${object.metadata.name}`;
    if (this.objects.has(path)) return failure(409, 'AlreadyExists', `${path} already exists`);
    this.store(path, object);
    this.changes.push(`create ${path}`);
    return { status: 201, value: object };
  }

  private store(path: string, object: StoredObject): void {
    const spec: Record<string, unknown> = Object(object['spec']);
    if (SCALABLE.some((plural) => path.startsWith(plural))) spec['replicas'] ??= 1;
    if (path.startsWith('statefulsets')) spec['updateStrategy'] ??= { type: 'RollingUpdate' };
    object['status'] = statusOf(spec['replicas']);
    object.metadata['generation'] = 1;
    object.metadata['uid'] ??= path;
    this.objects.set(path, object);
  }

  private list(groupVersion: string, plural: string, kind: string, params: URLSearchParams) {
    const [, field] = /^metadata\.name=(.+)$/.exec(params.get('fieldSelector') ?? '') ?? [];
    const items = [...this.objects]
      .filter(([path]) => path.startsWith(`${plural}/`) && (field === undefined || path === `${plural}/${field}`))
      .map(([, object]) => object);
    return {
      status: 200,
      value: { kind: `${kind}List`, apiVersion: groupVersion, metadata: { resourceVersion: '1' }, items },
    };
  }
}

const failure = (code: number, reason: string, message: string) => ({
  status: code,
  value: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message, code },
});
const notFound = (path: string) => failure(404, 'NotFound', `${path} not found`);

function parseObject(body: string): StoredObject {
  return JSON.parse(body);
}

/** One status that means at the same time: a complete Job, an available Deployment and a StatefulSet that is up to date. */
function statusOf(replicas: unknown): object {
  const conditions = ['Complete', 'Available'].map((type) => ({ type, status: 'True' }));
  const counts = { replicas, readyReplicas: replicas, updatedReplicas: replicas, availableReplicas: replicas };
  return { observedGeneration: 1, conditions, currentRevision: '1', updateRevision: '1', ...counts };
}

function scaleOf({ metadata, ...object }: StoredObject): object {
  const { replicas }: { replicas?: unknown } = Object(object['spec']);
  return { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata, spec: { replicas }, status: { replicas } };
}

/** Applies a JSON merge patch, which replaces a list as a whole; the documented commands need no other kind of patch. */
function mergeInto(target: object, patch: object): void {
  for (const [key, value] of Object.entries(patch)) {
    const inner: unknown = Reflect.get(target, key);
    if (value === null) Reflect.deleteProperty(target, key);
    else if (isRecord(value) && isRecord(inner)) mergeInto(inner, value);
    else Reflect.set(target, key, value);
  }
}

const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The answers from which `kubectl` learns the kinds of objects, and that the server validates fields. */
function discover(pathname: string): object | undefined {
  if (pathname === '/api') return { kind: 'APIVersions', versions: ['v1'] };
  if (pathname === '/apis') return { kind: 'APIGroupList', apiVersion: 'v1', groups: GROUP_VERSIONS.flatMap(groupOf) };
  const groupVersion = /^\/(?:api|apis)\/(.+)$/.exec(pathname)?.[1] ?? '';
  if (GROUP_VERSIONS.includes(groupVersion))
    return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: resourcesOf(groupVersion) };
  if (pathname === '/openapi/v3') {
    const paths = GROUP_VERSIONS.map((one) => [folderOf(one), { serverRelativeURL: `/openapi/v3/${folderOf(one)}` }]);
    return { paths: Object.fromEntries(paths) };
  }
  const described = GROUP_VERSIONS.find((one) => pathname === `/openapi/v3/${folderOf(one)}`);
  return described === undefined ? undefined : openapiOf(described);
}

const folderOf = (groupVersion: string) => (groupVersion === 'v1' ? 'api/v1' : `apis/${groupVersion}`);

function groupOf(groupVersion: string): object[] {
  const [group, version] = groupVersion.split('/');
  if (version === undefined) return [];
  const versions = [{ groupVersion, version }];
  return [{ name: group, versions, preferredVersion: versions[0] }];
}

function resourcesOf(groupVersion: string): object[] {
  return KINDS.filter(([its]) => its === groupVersion).flatMap(([, name, kind]) => {
    const own = { name, singularName: kind.toLowerCase(), namespaced: kind !== 'Namespace', kind, verbs: VERBS };
    const scale = {
      name: `${name}/scale`,
      namespaced: true,
      kind: 'Scale',
      group: 'autoscaling',
      version: 'v1',
      verbs: VERBS,
    };
    return SCALABLE.includes(name) ? [own, scale] : [own];
  });
}

function openapiOf(groupVersion: string): object {
  const [version = '', group = ''] = groupVersion.split('/').toReversed();
  const paths = KINDS.filter(([its]) => its === groupVersion).map(([, plural, kind]) => [
    `/${folderOf(groupVersion)}/${plural}`,
    {
      patch: {
        parameters: [{ name: 'fieldValidation', in: 'query' }],
        'x-kubernetes-group-version-kind': { group, version, kind },
      },
    },
  ]);
  return { openapi: '3.0.0', info: { title: 'fake', version: '1' }, paths: Object.fromEntries(paths) };
}
