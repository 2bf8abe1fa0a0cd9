import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * What stands in front of replicas, as a load balancer would: each connection goes to the first of `targets` (base URLs)
 * that takes it, `inTurn` beginning with another one each time, and breaks when the replica dies.
 */
export class Balancer {
  inTurn = false;
  private turn = 0;
  private readonly clients = new Set<Socket>();
  private readonly server: Server;

  private constructor(public targets: readonly string[]) {
    this.server = createServer((client) => void this.forward(client));
  }

  static async start(targets: readonly string[]): Promise<Balancer> {
    const balancer = new Balancer(targets);
    await new Promise<void>((resolve, reject) => {
      balancer.server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${portOf(this.server.address())}`;
  }

  /** Breaks every connection: who had one comes anew, and to the targets of now. */
  cut(): void {
    for (const client of this.clients) client.destroy();
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async forward(client: Socket): Promise<void> {
    this.clients.add(client);
    client.on('error', () => client.destroy()).once('close', () => this.clients.delete(client));
    const first = this.inTurn ? this.turn++ % this.targets.length : 0;
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

/** Undefined when nobody listens there. */
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
