import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { webcrypto } from 'node:crypto';
import { listenOnFreePort } from '../../../test/support/web-server';

export interface ReceivedEvent {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

type Responder = (response: ServerResponse, received: ReceivedEvent) => void | Promise<void>;

/** An integrator's server that gets events: it records every request, and answers 204 until a test says otherwise. */
export class EventReceiver {
  readonly received: ReceivedEvent[] = [];
  answer: Responder = (response) => void response.writeHead(204).end();

  /** The most requests that were open at a time. */
  peak = 0;
  private open = 0;

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {
    server.on('request', (request, response) => {
      this.open += 1;
      this.peak = Math.max(this.peak, this.open);
      response.once('close', () => (this.open -= 1));
      void (async () => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk);
        const body = Buffer.concat(chunks).toString();
        const received = { path: request.url ?? '', headers: request.headers, body };
        this.received.push(received);
        await this.answer(response, received);
      })();
    });
  }

  static async start(): Promise<EventReceiver> {
    const server = createServer();
    return new EventReceiver(server, await listenOnFreePort(server));
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/events`;
  }

  /** The events of one instance, in the order of their arrival. */
  eventsOf(instanceID: string): ReceivedEvent[] {
    return this.received.filter(({ body }) => JSON.parse(body).data.instanceID === instanceID);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

/**
 * Whether one of the signatures was made with this secret; verified as Standard Webhooks specifies, with another
 * library than the code under test.
 */
export async function isSigned({ headers, body }: ReceivedEvent, secret: string): Promise<boolean> {
  const bytes = Uint8Array.from(Buffer.from(secret.replace(/^whsec_/, ''), 'base64'));
  const key = await webcrypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  const parts = [headers['webhook-id'], headers['webhook-timestamp'], body];
  const content = new TextEncoder().encode(parts.join('.'));
  for (const signature of String(headers['webhook-signature']).split(' ')) {
    const [version, encoded = ''] = signature.split(',');
    const given = Uint8Array.from(Buffer.from(encoded, 'base64'));
    if (version === 'v1' && (await webcrypto.subtle.verify('HMAC', key, given, content))) return true;
  }
  return false;
}
