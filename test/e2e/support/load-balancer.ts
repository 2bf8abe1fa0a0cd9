import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * A TCP load balancer in front of replicas: each connection goes to the first of `targets` (base URLs) that accepts it. With
 * `roundRobin` each connection begins with the next target. A connection ends when its replica dies.
 */
export class LoadBalancer {
  roundRobin = false;
  private turn = 0;
  private readonly clients = new Set<Socket>();
  private readonly server: Server;

  private constructor(public targets: readonly string[]) {
    this.server = createServer((client) => void this.forward(client));
  }

  static async start(targets: readonly string[]): Promise<LoadBalancer> {
    const loadBalancer = new LoadBalancer(targets);
    await new Promise<void>((resolve, reject) => {
      loadBalancer.server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    return loadBalancer;
  }

  get url(): string {
    return `http://127.0.0.1:${portOf(this.server.address())}`;
  }

  /** Drops every connection; clients reconnect to the current targets. */
  dropConnections(): void {
    for (const client of this.clients) client.destroy();
  }

  async stop(): Promise<void> {
    this.dropConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async forward(client: Socket): Promise<void> {
    this.clients.add(client);
    client.on('error', () => client.destroy()).once('close', () => this.clients.delete(client));
    const first = this.roundRobin ? this.turn++ % this.targets.length : 0;
    for (const target of [...this.targets.slice(first), ...this.targets.slice(0, first)]) {
      const upstream = await reach(target);
      if (upstream) return join(client, upstream);
    }
    client.destroy();
  }
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('The balancer is not listening');
  return address.port;
}

/** Undefined when nothing listens at the target. */
function reach(target: string): Promise<Socket | undefined> {
  const { hostname, port } = new URL(target);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.once('connect', () => resolve(socket)).once('error', () => resolve(undefined));
  });
}

function join(client: Socket, upstream: Socket): void {
  upstream.on('error', () => upstream.destroy());
  upstream.once('close', () => client.destroy());
  client.once('close', () => upstream.destroy());
  if (client.destroyed) upstream.destroy();
  client.pipe(upstream).pipe(client);
}
