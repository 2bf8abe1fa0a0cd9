import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { listenOnFreePort } from '../../../support/web-server';

export interface ReceivedEvent {
  headers: IncomingHttpHeaders;
  body: string;
}

/** A system that gets events of event subscriptions. */
export interface EventReceiver {
  url: string;
  /** The HTTP status of its answers from now on; 204 at first. */
  status: number;
  /** In the order of their arrival, also those that were not answered with success. */
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
  // 0 = the server never closes an idle connection, so that no sender reuses a connection which is about to close.
  server.keepAliveTimeout = 0;
  const port = await listenOnFreePort(server);
  const receiver: EventReceiver = {
    url: `http://127.0.0.1:${port}/events`,
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
