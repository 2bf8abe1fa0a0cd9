import { connect, type Server } from '@nats-io/transport-node';
import { startTestNats } from '../../../test/support/servers';
import { waitUntil } from '../../../test/support/wait-until';
import { connectionOptions, inboxPrefix } from './connection';

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
