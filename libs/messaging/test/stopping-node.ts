import { once } from 'node:events';
import { createConnection, createServer, Socket, type Server } from 'node:net';
import { listenOnFreePort } from '../../../test/support/web-server';

/**
 * One of several nodes of NATS, which the test lets announce its stop. Each is a proxy of the same NATS server, and refuses clients until
 * `isOpen` is true.
 */
export class StoppingNode {
  /** Host and port, as in the address of a NATS server. */
  host = '';
  isOpen = false;
  /** Whether the node accepts clients and sends them nothing. */
  isSilent = false;
  /** The number of clients that the node has accepted. */
  acceptedClients = 0;
  /** The connections of clients, with those to the server. */
  private readonly sockets = new Map<Socket, Socket>();
  private server: Server;
  private info = '';

  private constructor(private readonly natsPort: number) {
    this.server = createServer((client) => (this.isOpen ? this.accept(client) : void client.destroy()));
  }

  static async start(natsURL: string): Promise<StoppingNode> {
    const node = new StoppingNode(Number(new URL(natsURL).port));
    node.host = `127.0.0.1:${await listenOnFreePort(node.server)}`;
    return node;
  }

  /** The number of clients that are connected. */
  get connectedClients(): number {
    return this.sockets.size;
  }

  /** Begins the lame duck mode: says to each client that the node stops, and accepts no more of them. No message may be on its way to a client. */
  announceStop(): void {
    this.isOpen = false;
    const info = JSON.stringify({ ...JSON.parse(this.info), ldm: true });
    for (const client of this.sockets.keys()) client.write(`INFO ${info}\r\n`);
  }

  /** Delays everything that clients send until `release`. */
  hold(): void {
    for (const [client, upstream] of this.sockets) client.unpipe(upstream);
  }

  release(): void {
    for (const [client, upstream] of this.sockets) client.pipe(upstream);
  }

  /** Closes the connections that are left. */
  disconnect(): void {
    for (const client of this.sockets.keys()) client.destroy();
  }

  async stop(): Promise<void> {
    this.disconnect();
    this.server.close();
    await once(this.server, 'close');
  }

  private accept(client: Socket): void {
    const upstream = this.isSilent ? new Socket() : createConnection(this.natsPort, '127.0.0.1');
    this.sockets.set(client, upstream);
    this.acceptedClients += 1;
    // The server's first message.
    upstream.once('data', (bytes) => (this.info = /^INFO (.*)\r\n/.exec(bytes.toString())?.[1] ?? ''));
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.sockets.delete(client);
        client.destroy();
        upstream.destroy();
      });
    }
  }
}
