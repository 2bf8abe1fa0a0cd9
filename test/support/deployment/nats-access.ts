import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, errors, type NatsConnection } from '@nats-io/transport-node';
import * as s from '../shape';
import { ensureServers, startChild } from '../../../scripts/lib/servers.cjs';
import { waitUntil } from '../wait-until';

const portsFileShape = s.object({ nats: s.list(s.url), monitoring: s.list(s.url), cluster: s.list(s.url).optional() });

export interface ShippedNats {
  port: number;
  /** The port for the routes of other nodes; undefined for a server that is no node of a cluster. */
  routePort: number | undefined;
  /** The URL of the monitoring endpoint, which the configuration switches on; here on a free port. */
  monitoring: URL;
  pid: number;
  signal(name: NodeJS.Signals): void;
  /** Resolves when the process has ended. */
  exited: Promise<{ code: number | null }>;
  /** Ends the server and removes its files. */
  stop(): Promise<void>;
}

/**
 * Starts a private nats-server with the configuration file as it is shipped, on the loopback; without `port` on a free one. Throws with the
 * server's log when the server refuses the file.
 */
export async function startShippedNats(
  configFile: string,
  env: Record<string, string>,
  port = -1,
): Promise<ShippedNats> {
  const { natsServer } = await ensureServers();
  const home = await mkdtemp(join(tmpdir(), 'batuta-shipped-nats-'));
  const logFile = join(home, 'nats.log');
  const free = ['--addr', '127.0.0.1', '--port', String(port), '--http_port', '-1', '--ports_file_dir', home];
  const child = await startChild({
    command: natsServer,
    args: ['--config', configFile, ...free],
    env: { PATH: process.env['PATH'], ...env },
    logFile,
    removeIfOrphaned: [home],
  });
  const ports = await waitUntil('nats-server says where it listens', async () => {
    if (!child.isAlive()) return 'ended' as const;
    const file = (await readdir(home)).find((name) => name.endsWith('.ports'));
    return file !== undefined && portsFileShape.parse(JSON.parse(await readFile(join(home, file), 'utf8')));
  });
  const stop = async () => {
    await child.stop();
    await rm(home, { recursive: true, force: true });
  };
  if (ports === 'ended') {
    const logText = await readFile(logFile, 'utf8');
    await stop();
    throw new Error(`nats-server refuses ${configFile}: ${logText}`);
  }
  const [nats = '', monitoring = '', routes] = [ports.nats[0], ports.monitoring[0], ports.cluster?.[0]];
  const { pid, exited } = child;
  return {
    port: Number(new URL(nats).port),
    routePort: routes === undefined ? undefined : Number(new URL(routes).port),
    monitoring: new URL(monitoring),
    pid,
    signal: (name) => child.signal(name),
    exited,
    stop,
  };
}

/** Subjects by direction: those that a user is allowed (`accessOf`), or those that a service uses (`subjectsUsedBy`). */
export interface NatsSubjects {
  publish: string[];
  subscribe: string[];
}

/** A subject that no user may use. It is sent last: its refusal proves that the server has checked all subjects before it. */
const SENTINEL_SUBJECT = 'last.of.all';

/** The subjects among those given that the user of the URL may publish and subscribe to. Never resolves for a user who may use SENTINEL_SUBJECT. */
export async function accessOf(url: string, subjects: string[]): Promise<NatsSubjects & { maxPayload: number }> {
  const { username, password, host } = new URL(url);
  const connection = await connect({ servers: host, user: username, pass: password, reconnect: false });
  const refusals = refusalsOf(connection);
  for (const subject of [...subjects, SENTINEL_SUBJECT]) {
    connection.publish(subject);
    connection.subscribe(subject, { callback: () => {} });
  }
  const { publish, subscription } = await refusals;
  const maxPayload = connection.info?.max_payload ?? 0;
  await connection.close();
  return {
    publish: subjects.filter((subject) => !publish.has(subject)),
    subscribe: subjects.filter((subject) => !subscription.has(subject)),
    maxPayload,
  };
}

async function refusalsOf(connection: NatsConnection) {
  const refused = { publish: new Set<string>(), subscription: new Set<string>() };
  for await (const status of connection.status()) {
    if (status.type !== 'error' || !(status.error instanceof errors.PermissionViolationError)) continue;
    refused[status.error.operation].add(status.error.subject);
    if (refused.publish.has(SENTINEL_SUBJECT) && refused.subscription.has(SENTINEL_SUBJECT)) return refused;
  }
  throw new Error('the connection ended before the server had checked every subject');
}
