import { connect, createServer, type Server, type Socket } from 'node:net';
import { listenOnFreePort } from '../../../support/web-server';

const PROBE_INTERVAL_MS = 200;

/**
 * A TCP load balancer in front of replicas: each connection goes to the first of `targets` (base URLs) that accepts it. With
 * `roundRobin` each connection begins with the next target. A connection ends when its replica dies.
 */
export class LoadBalancer {
  url = '';
  roundRobin = false;
  private turn = 0;
  private probing: NodeJS.Timeout | undefined;
  private readonly clients = new Set<Socket>();
  private readonly server: Server;

  private constructor(public targets: readonly string[]) {
    this.server = createServer((client) => void this.forward(client));
  }

  static async start(targets: readonly string[]): Promise<LoadBalancer> {
    const loadBalancer = new LoadBalancer(targets);
    loadBalancer.url = `http://127.0.0.1:${await listenOnFreePort(loadBalancer.server)}`;
    return loadBalancer;
  }

  /** From now on new connections go to the replicas of `replicas()` whose readiness probe succeeds, each in turn. */
  followReadiness(replicas: () => readonly string[]): void {
    this.roundRobin = true;
    const probe = async () => {
      const all = replicas();
      const ready = await Promise.all(all.map((url) => isReady(url)));
      this.targets = all.filter((_url, index) => ready[index]);
    };
    this.probing = setInterval(() => void probe(), PROBE_INTERVAL_MS);
  }

  /** Drops every connection; clients reconnect to the current targets. */
  dropConnections(): void {
    for (const client of this.clients) client.destroy();
  }

  async stop(): Promise<void> {
    clearInterval(this.probing);
    this.dropConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async forward(client: Socket): Promise<void> {
    this.clients.add(client);
    client.on('error', () => client.destroy()).once('close', () => this.clients.delete(client));
    const first = this.roundRobin ? this.turn++ % this.targets.length : 0;
    for (const target of [...this.targets.slice(first), ...this.targets.slice(0, first)]) {
      const upstream = await connectTo(target);
      if (upstream) return joinSockets(client, upstream);
    }
    client.destroy();
  }
}

function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(2_000), headers: { connection: 'close' } }).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Connects to the target; undefined when nothing listens there. */
function connectTo(target: string): Promise<Socket | undefined> {
  const { hostname, port } = new URL(target);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.once('connect', () => resolve(socket)).once('error', () => resolve(undefined));
  });
}

function joinSockets(client: Socket, upstream: Socket): void {
  upstream.on('error', () => upstream.destroy());
  upstream.once('close', () => client.destroy());
  client.once('close', () => upstream.destroy());
  if (client.destroyed) upstream.destroy();
  client.pipe(upstream).pipe(client);
}
