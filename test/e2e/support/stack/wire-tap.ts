import { connect, createServer } from 'node:net';
import { connect as connectNats, type NodeConnectionOptions } from '@nats-io/transport-node';
import { listenOnFreePort } from '../../../support/web-server';

/** One message over NATS, or all bytes of one direction of the tapped connections. */
interface RecordedText {
  where: string;
  text: string;
}

/** Records every message over NATS, and every byte between a service and those who connect to it by `url`. */
export interface WireTap {
  url: string;
  /**
   * Where a text was sent, as it is or as base64: the subjects of NATS messages, and `to the client` or `to the service` for the tapped
   * connections.
   */
  placesOf(text: string): Promise<string[]>;
  stop(): Promise<void>;
}

/** `service` = its base URL. Bytes that WebSocket clients mask on their way to a service cannot be read here. */
export async function tapWires(natsURL: string, service: string): Promise<WireTap> {
  const { hostname, port } = new URL(service);
  const messages: RecordedText[] = [];
  const bytes = { 'to the client': '', 'to the service': '' };
  const nats = await connectNats(optionsOf(natsURL));
  nats.subscribe('>', {
    callback: (_error, message) => {
      messages.push({ where: message.subject, text: message.string() });
    },
  });
  await nats.flush();
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    client
      .on('data', (data) => (bytes['to the service'] += data.toString('latin1')))
      .on('error', () => upstream.destroy());
    upstream
      .on('data', (data) => (bytes['to the client'] += data.toString('latin1')))
      .on('error', () => client.destroy());
    client.pipe(upstream).pipe(client);
  });
  const url = `http://127.0.0.1:${await listenOnFreePort(server)}`;
  return {
    url,
    async placesOf(text) {
      await nats.flush();
      const all = [...messages, ...Object.entries(bytes).map(([where, sent]) => ({ where, text: sent }))];
      const forms = [text, Buffer.from(text).toString('base64').replace(/=*$/, '')];
      return [...new Set(all.filter((one) => forms.some((form) => one.text.includes(form))).map(({ where }) => where))];
    },
    async stop() {
      server.close();
      await nats.close();
    },
  };
}

function optionsOf(url: string): NodeConnectionOptions {
  const { host, username, password } = new URL(url);
  return { servers: host, ...(username && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }) };
}
