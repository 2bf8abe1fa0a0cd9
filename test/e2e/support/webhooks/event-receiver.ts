import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';

export interface ReceivedEvent {
  headers: IncomingHttpHeaders;
  body: string;
}

/** A system that gets events; it answers each with `status`. */
export interface EventReceiver {
  url: string;
  status: number;
  events: ReceivedEvent[];
  stop(): Promise<void>;
}

export async function startEventReceiver(): Promise<EventReceiver> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      receiver.events.push({ headers: request.headers, body: Buffer.concat(parts).toString() });
      response.writeHead(receiver.status).end();
    });
  });
  // A sender must not reuse a connection that is about to be closed.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The receiver of events is not listening');
  const receiver: EventReceiver = {
    url: `http://127.0.0.1:${address.port}/events`,
    status: 204,
    events: [],
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

/** Whether one of the signatures of an event was made with the secret. */
export function isSignedWith(secret: string, { headers, body }: ReceivedEvent): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const message = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const expected = `v1,${createHmac('sha256', key).update(message).digest('base64')}`;
  return String(headers['webhook-signature']).split(' ').includes(expected);
}
