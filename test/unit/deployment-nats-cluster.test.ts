import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkServerIdentity } from 'node:tls';
import { promisify } from 'node:util';
import { hostsOf } from '@batuta/network';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { renderOverlay } from '../support/deployment/kustomize';
import { containersIn, environmentOf } from '../support/deployment/manifest-parts';
import { startShippedNats, type ShippedNats } from '../support/deployment/nats-access';
import { waitUntil } from '../support/wait-until';
import { copyWithSecrets, exampleKeys } from '../../scripts/lib/kustomize.cjs';
import { ensureServers } from '../../scripts/lib/servers.cjs';

const run = promisify(execFile);
const NODES = [0, 1, 2];
/** A port on which nothing listens, for the routes to nodes that start later. */
const UNUSED_PORT = 1;

let folder: string;
let overlay: string;
/** The environment variables of a pod of NATS, from the files that k8s/new-secrets.sh writes. */
let passwords: Record<string, string>;

beforeAll(async () => {
  folder = await copyWithSecrets(() => 'sample');
  overlay = join(folder, 'overlays', 'production');
  for (const file of await secretFiles()) if (!file.endsWith('.example')) await rm(join(overlay, 'secrets', file));
  // The nodes of this test have no DNS names, so the certificate must also name the loopback address.
  const script = join(folder, 'new-secrets.sh');
  const text = await readFile(script, 'utf8');
  await writeFile(
    script,
    text.replace('subjectAltName=DNS:nats,', 'subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:nats,'),
  );
  await run('sh', [script, overlay]);
  passwords = valuesOf(await readFile(join(overlay, 'secrets', 'nats.env'), 'utf8'));
});
afterAll(() => rm(folder, { recursive: true }));

const secretFiles = () => readdir(join(overlay, 'secrets'));
const valuesOf = (text: string) =>
  Object.fromEntries([...text.matchAll(/^([A-Z0-9_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]));

function formatOf(key: string): RegExp {
  if (key.startsWith('EVIDENCE_')) return /^$/;
  return key === 'SECRET_KEYS' ? /^k1:[A-Za-z0-9+/]{43}=$/ : /^[0-9a-f]{48}$/;
}

test('new-secrets.sh makes every secret, except those that only the operator knows, and keeps those that exist', async () => {
  const secrets = join(overlay, 'secrets');
  const before = await Promise.all((await secretFiles()).map((file) => readFile(join(secrets, file), 'utf8')));
  const examples = (await secretFiles()).filter((file) => file.endsWith('.example'));
  for (const example of examples) {
    const keys = exampleKeys(example, await readFile(join(secrets, example), 'utf8'));
    const values = valuesOf(await readFile(join(secrets, example.replace(/\.example$/, '')), 'utf8'));
    expect(Object.keys(values)).toEqual(keys);
    for (const [key, value] of Object.entries(values)) {
      expect(value).toMatch(formatOf(key));
    }
  }
  const { stdout, stderr } = await run('sh', [join(folder, 'new-secrets.sh'), overlay]);
  expect(stdout.match(/EVIDENCE_S3_\w+/g)).toEqual(['EVIDENCE_S3_ACCESS_KEY_ID', 'EVIDENCE_S3_SECRET_ACCESS_KEY']);
  expect(stderr).toContain('Fill in the values above');
  expect(await Promise.all((await secretFiles()).map((file) => readFile(join(secrets, file), 'utf8')))).toEqual(before);
});

test('new-secrets.sh adds to a file of an earlier release what it lacks, and keeps the rest', async () => {
  const file = join(overlay, 'secrets', 'database.env');
  const whole = await readFile(file, 'utf8');
  await writeFile(file, whole.replaceAll(/^DATABASE_(?!PASSWORD).*\n/gm, ''));
  await run('sh', [join(folder, 'new-secrets.sh'), overlay]);
  const [before, after] = [valuesOf(whole), valuesOf(await readFile(file, 'utf8'))];
  expect(Object.keys(after)).toEqual(Object.keys(before));
  expect(after['DATABASE_PASSWORD']).toBe(before['DATABASE_PASSWORD']);
  expect(after['DATABASE_ROUTER_PASSWORD']).toMatch(/^[0-9a-f]{48}$/);
  expect(after['DATABASE_ROUTER_PASSWORD']).not.toBe(before['DATABASE_ROUTER_PASSWORD']);
});

test('a file without a line end after its last line keeps its values and certificates when new-secrets.sh adds to it', async () => {
  const secrets = join(overlay, 'secrets');
  const whole = await readFile(join(secrets, 'database.env'), 'utf8');
  const [first = ''] = whole.match(/^DATABASE_PASSWORD=.*$/m) ?? [];
  await writeFile(join(secrets, 'database.env'), first);
  const authorities = await readFile(join(secrets, 'authorities.pem'), 'utf8');
  await writeFile(join(secrets, 'authorities.pem'), authorities.trimEnd());
  await rm(join(secrets, 'nats.crt'));
  await run('sh', [join(folder, 'new-secrets.sh'), overlay]);
  expect(await readFile(join(secrets, 'database.env'), 'utf8')).toContain(`${first}\n`);
  const renewed = await readFile(join(secrets, 'authorities.pem'), 'utf8');
  expect(renewed).toContain(authorities);
  expect(renewed.match(/^-----BEGIN CERTIFICATE-----$/gm)).toHaveLength(2);
  expect(await secretFiles()).not.toContain('authorities.pem.new');
});

test('the certificate of NATS is valid for the name of every node, as Node checks it', async () => {
  const certificate = new X509Certificate(await readFile(join(overlay, 'secrets', 'nats.crt')));
  const { manifests } = await renderOverlay('production');
  const urls = containersIn(manifests).flatMap(
    ({ container }) => environmentOf(container, manifests).values['NATS_URL'] ?? [],
  );
  const names = new Set(urls.flatMap(hostsOf).map((host) => host.replace(/:\d+$/, '')));
  expect([...names]).toHaveLength(NODES.length);
  const refusals = [...names].map((name) => checkServerIdentity(name, certificate.toLegacyObject())?.message);
  expect(refusals).toEqual(NODES.map(() => undefined));
});

/** Starts the nodes one after the other, each with routes to those that run already. */
async function startNodes(): Promise<ShippedNats[]> {
  const shipped = await readFile(join(overlay, 'nats-cluster.conf'), 'utf8');
  await writeFile(join(overlay, 'nats.conf'), await readFile(join(folder, 'base', 'nats.conf'), 'utf8'));
  const quoted = Object.entries(passwords).map(([name, value]) => [name, `"${value}"`]);
  const nodes: ShippedNats[] = [];
  for (const node of NODES) {
    const file = join(overlay, `nats-${node}.conf`);
    const own = shipped
      .replace('port: 6222', 'listen: "127.0.0.1:-1"')
      .replaceAll(
        /nats-(\d)\.nats-nodes:6222/g,
        (_host, other) => `127.0.0.1:${nodes[other]?.routePort ?? UNUSED_PORT}`,
      )
      .replaceAll(/\/run\/secrets\/nats\/tls\.(crt|key)/g, join(overlay, 'secrets', 'nats.$1'))
      .replaceAll('/run/secrets/nats', join(overlay, 'secrets'));
    await writeFile(file, own);
    nodes.push(await startShippedNats(file, { ...Object.fromEntries(quoted), POD_NAME: `nats-${node}` }));
  }
  return nodes;
}

function connectAs(user: string, { port }: ShippedNats, ca: string): Promise<NatsConnection> {
  const pass = passwords[`NATS_${user.toUpperCase()}_PASSWORD`];
  return connect({ servers: `127.0.0.1:${port}`, user, pass, tls: { ca }, reconnect: false });
}

test('three shipped nodes form a cluster over TLS, and a service at one of them reaches a service at another', async () => {
  const nodes = await startNodes();
  const [first, second, third] = nodes;
  if (!first || !second || !third) throw new Error('the cluster has not three nodes');
  try {
    const ca = await readFile(join(overlay, 'secrets', 'authorities.pem'), 'utf8');
    const execution = await connectAs('execution', first, ca);
    const gateway = await connectAs('gateway', third, ca);
    expect(execution.info).toMatchObject({ tls_required: true, cluster: 'batuta', server_name: 'nats-0' });
    expect(execution.info?.connect_urls ?? []).toEqual([]);
    execution.subscribe('execution.start', { callback: (_error, message) => void message.respond('started') });
    await execution.flush();
    const answer = await waitUntil('the nodes know each other', async () =>
      (await gateway.request('execution.start', '', { timeout: 1_000 })).string(),
    );
    expect(answer).toBe('started');
    await Promise.all([execution.close(), gateway.close()]);
    const withoutAuthority = connect({ servers: `127.0.0.1:${second.port}`, tls: {}, reconnect: false });
    await expect(withoutAuthority).rejects.toThrow(/certificate/i);
  } finally {
    await Promise.all(nodes.map((node) => node.stop()));
  }
});

/** Runs the command by which Kubernetes begins the stop of a node, for the node with this pid. */
async function beginStop(pid: number): Promise<void> {
  const { manifests } = await renderOverlay('production');
  const nats = containersIn(manifests).find(({ at }) => at === 'nats/nats')?.container;
  const [program, ...args] = nats?.lifecycle?.preStop.exec.command ?? [];
  if (program === undefined) throw new Error('Kubernetes begins with a SIGTERM');
  const { natsServer } = await ensureServers();
  const env = { PATH: `${dirname(natsServer)}:${process.env['PATH']}` };
  await run(
    program,
    args.map((word) => word.replace('ldm=1', `ldm=${pid}`)),
    { env },
  );
}

test('a node that Kubernetes stops announces it, hands its clients over to other nodes, and ends by itself', async () => {
  const nodes = await startNodes();
  const [first, ...others] = nodes;
  if (!first) throw new Error('the cluster has no node');
  try {
    const ca = await readFile(join(overlay, 'secrets', 'authorities.pem'), 'utf8');
    const servers = nodes.map(({ port }) => `127.0.0.1:${port}`);
    const pass = passwords['NATS_GATEWAY_PASSWORD'];
    const options = { servers, noRandomize: true, user: 'gateway', pass, tls: { ca }, reconnectTimeWait: 20 };
    const clients = await Promise.all([connect(options), connect(options)]);
    const announced = Promise.all(clients.map(statusOfStop));

    await beginStop(first.pid);
    expect(await announced).toEqual(['ldm', 'ldm']);
    // Kubernetes sends it right after the command; the node may have ended by then.
    first.signal('SIGTERM');
    expect(await first.exited).toMatchObject({ code: 0 });
    await waitUntil('the clients are at other nodes', async () => {
      await Promise.all(clients.map((client) => client.rtt()));
      return clients.every((client) => others.some(({ port }) => client.getServer().endsWith(`:${port}`)));
    });
    await Promise.all(clients.map((client) => client.close()));
  } finally {
    await Promise.all(nodes.map((node) => node.stop()));
  }
});

/** The first thing that a client notices of the stop of its node. */
async function statusOfStop(client: NatsConnection): Promise<string | undefined> {
  for await (const { type } of client.status()) if (type === 'ldm' || type === 'disconnect') return type;
  return undefined;
}
