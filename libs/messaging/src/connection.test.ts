import { connect, type NatsConnection, type Server } from '@nats-io/transport-node';
import { startTestNats, takeNatsUser } from '../../../test/support/servers';
import { waitUntil } from '../../../test/support/wait-until';
import { createLogger } from '@batuta/observability';
import { StoppingNode } from '../test/stopping-node';
import { closeConnection, connectionOptions, connectAndWait, inboxPrefix } from './connection';

const CLUSTER = 'tls://gateway:a%2Cb@nats-0.nodes:4222,nats-1.nodes:4222';

test('the URL of a cluster names user and password once', () => {
  expect(connectionOptions(CLUSTER, 'gateway')).toMatchObject({
    servers: ['nats-0.nodes:4222', 'nats-1.nodes:4222'],
    user: 'gateway',
    pass: 'a,b',
    tls: {},
  });
  expect(inboxPrefix(CLUSTER)).toBe('_INBOX.gateway');
});

test('the client connects next to the node that it dialed longest ago, and not to the one that it has lost', () => {
  const node = (listen: string, lastConnect: number): Server => {
    return {
      hostname: listen,
      port: 1,
      listen,
      src: listen,
      tlsName: '',
      reconnects: 0,
      lastConnect,
      gossiped: false,
      didConnect: true,
    };
  };
  const next = connectionOptions(CLUSTER, 'gateway').reconnectToServer;
  expect(next?.([node('lost', 30), node('tried', 20), node('other', 10)], null)).toMatchObject({ listen: 'other' });
});

test('a connection whose node is killed continues on another one', async () => {
  const nodes = await Promise.all([startTestNats({ password: 'shared' }), startTestNats({ password: 'shared' })]);
  const hosts = nodes.map(({ url }) => new URL(url).host);
  const connection = await connect(connectionOptions([nodes[0]?.url, hosts[1]].join(), 'test'));
  const lost = connection.getServer();
  await nodes[hosts.indexOf(lost)]?.stop();
  const next = await waitUntil('another node answers', async () => {
    await connection.rtt();
    return connection.getServer() !== lost && connection.getServer();
  });
  expect(hosts).toContain(next);
  await connection.close();
  await Promise.all(nodes.map((node) => node.stop()));
});

describe('a connection that is closed while it reconnects', () => {
  let node: StoppingNode;
  let url: URL;
  beforeEach(async () => {
    url = new URL(await takeNatsUser());
    node = await StoppingNode.start(url.href);
    node.isOpen = true;
    url.host = node.host;
  });
  afterEach(() => node.stop());

  test('a connection that is closed while it reconnects does not come back when the node accepts it afterwards', async () => {
    let closes = false;
    let closed: Promise<void> | undefined;
    const connection: NatsConnection = await connect({
      ...connectionOptions(url.href, 'test'),
      // The client calls this directly before it dials.
      reconnectToServer(servers) {
        if (closes) closed ??= closeConnection(connection);
        return servers[0] ?? null;
      },
    });
    closes = true;
    node.disconnect();
    await waitUntil(
      'the node has accepted and lost the client',
      () => node.acceptedClients === 2 && node.connectedClients === 0,
    );
    await closed;
    expect(connection.isClosed()).toBe(true);
  });

  test('a connection that is closed while it reconnects leaves no socket open when the node does not answer', async () => {
    const connection = await connect(connectionOptions(url.href, 'test'));
    node.isSilent = true;
    node.disconnect();
    await waitUntil('the node has accepted the client again', () => node.acceptedClients === 2);
    await closeConnection(connection);
    await waitUntil('the node has lost the client', () => node.connectedClients === 0);
    expect(connection.isClosed()).toBe(true);
  });
});

test('a service that starts while NATS is away, or is refused by it, logs once why it waits', async () => {
  const nats = await startTestNats();
  const { port } = nats;
  const warnings: { err?: Error; msg: string }[] = [];
  const logger = createLogger('test', 'warn', { write: (line) => warnings.push(JSON.parse(line)) });
  await nats.kill();
  const connecting = connectAndWait(nats.url, 'test', logger);
  await waitUntil('the service waits', () => warnings.length > 0);
  await nats.startAgain();
  await (await connecting).close();
  expect(warnings).toMatchObject([
    { msg: 'NATS accepts no connection; the service waits for it', err: { message: expect.stringMatching(/refused/) } },
    { msg: 'the service is connected to NATS now', server: `127.0.0.1:${port}` },
  ]);
  await nats.stop();
});

test('a login that NATS refuses is named in the warning', async () => {
  const refusing = await startTestNats({ password: 'another' });
  const { port } = refusing;
  const warnings: { err: Error }[] = [];
  const logger = createLogger('test', 'warn', { write: (line) => warnings.push(JSON.parse(line)) });
  const url = new URL(refusing.url);
  url.password = 'own';
  const connecting = connectAndWait(url.href, 'test', logger);
  await waitUntil('the login is refused', () => warnings.length > 0);
  expect(warnings[0]?.err.message).toMatch(/authorization violation/i);
  await refusing.stop();
  const accepting = await startTestNats({ password: 'own', port });
  await (await connecting).close();
  await accepting.stop();
});
