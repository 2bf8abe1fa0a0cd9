import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { AGENT_PATH } from '@batuta/agent-protocol';
import { openStore } from '@batuta/database';
import { Rpc } from '@batuta/messaging';
import { Metrics } from '@batuta/observability';
import { connect } from '@nats-io/transport-node';
import { pino } from 'pino';
import { listenOnFreePort } from '../support/web-server';
import { RouterSocket } from '../../apps/agent/src/connection/router-socket';
import { FakeRouter } from '../../apps/agent/test/fake-router';
import { privateAuthority, type Certificate } from '../../apps/agent/test/test-certificate';
import { certificateEndOf, closeStale, connectionOptions } from '../../libs/messaging/src/connection';
import { watchNats } from '../../libs/service/src/resource-metrics';
import { startShippedNats, type ShippedNats } from '../support/deployment/nats-access';
import { startTestMariadb, type TestServer } from '../support/servers';

// TLS with a private authority on every connection that carries secrets between machines: service to database, service to NATS, agent to router.

const authority = privateAuthority('our authority');
const anotherAuthority = privateAuthority('another authority');
const trustedBefore = getCACertificates('default');
const trust = ({ cert }: { cert: string }) => setDefaultCACertificates([cert]);

/** The end of the validity of a certificate, in epoch milliseconds. */
const endOf = (cert: string) => Date.parse(new X509Certificate(cert).validTo);

/** Proxy settings of an agent without a proxy. */
const DIRECT = { http: undefined, https: undefined, none: [] };

let folder: string;
let mariadb: TestServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batuta-tls-'));
  mariadb = await startTestMariadb({ certificate: authority.issue() });
});
beforeEach(() => trust(authority));
afterAll(async () => {
  setDefaultCACertificates(trustedBefore);
  await mariadb?.stop();
  await rm(folder, { recursive: true });
});

/**
 * Starts one kind of server with the certificate, connects to it as the program does, and rejects when the connection
 * is refused.
 */
type ConnectToServer = (certificate: Certificate) => Promise<void>;

const connectToDatabase: ConnectToServer = async ({ key, cert }) => {
  const inClear = await openStore({ url: mariadb.url, pool: 1 });
  const files = await inClear.row<{ key: string; cert: string }>('SELECT @@ssl_key AS `key`, @@ssl_cert AS cert');
  await writeFile(files?.key ?? '', key);
  await writeFile(files?.cert ?? '', cert);
  await inClear.write('FLUSH SSL');
  await inClear.close();
  const url = new URL(mariadb.url);
  url.searchParams.set('ssl', '{"verifyIdentity":true}');
  const store = await openStore({ url: url.href, pool: 1 }, [], { waitMs: 0 });
  const cipher = await store.row<{ Value: string }>("SHOW SESSION STATUS LIKE 'Ssl_cipher'");
  const { certificateEnd } = store.poolState;
  await store.close();
  expect(cipher?.Value).toMatch(/./);
  expect(certificateEnd).toBe(endOf(cert));
};

async function startNatsWith({ key, cert }: Certificate): Promise<ShippedNats> {
  const [keyFile, certFile, file] = ['nats.key', 'nats.crt', 'nats.conf'].map((name) => join(folder, name));
  if (!keyFile || !certFile || !file) throw new Error('there are no files');
  await Promise.all([writeFile(keyFile, key), writeFile(certFile, cert)]);
  await writeFile(file, `tls { key_file: "${keyFile}", cert_file: "${certFile}" }`);
  return startShippedNats(file, {});
}

const connectToNats: ConnectToServer = async (certificate) => {
  const nats = await startNatsWith(certificate);
  try {
    const options = connectionOptions(`tls://127.0.0.1:${nats.port}`, 'gateway');
    const connection = await connect({ ...options, reconnect: false, waitOnFirstConnect: false });
    expect(connection.info?.tls_required).toBe(true);
    expect(certificateEndOf(connection)).toBe(endOf(certificate.cert));
    await connection.close();
  } finally {
    await nats.stop();
  }
};

const connectToRouter: ConnectToServer = async ({ key, cert }) => {
  const server: Server = createServer({ key, cert });
  const port = await listenOnFreePort(server);
  const router = await FakeRouter.create(server);
  try {
    await new Promise<void>((resolve, reject) => {
      const logger = pino({ level: 'info' }, { write: (line: string) => reject(new Error(line)) });
      const others = { onFrame: () => {}, onWritable: () => {}, onClose: () => {} };
      const url = `wss://127.0.0.1:${port}${AGENT_PATH}`;
      const address = { url, key: 'a key', proxies: DIRECT, handshakeLimitMs: 60_000 };
      const socket = new RouterSocket(address, { ...others, onOpen: () => resolve(socket.close()) }, logger);
    });
  } finally {
    await router.close();
    server.closeAllConnections();
    server.close();
  }
};

describe.each<[string, ConnectToServer]>([
  ['to the database', connectToDatabase],
  ['to NATS', connectToNats],
  ['of an agent to the router', connectToRouter],
])('certificates of connections %s', (_where, connectTo) => {
  test('a connection is made when a trusted private authority signed the certificate of the server', async () => {
    await expect(connectTo(authority.issue())).resolves.toBeUndefined();
  });

  test('a connection is refused when an authority signed its certificate that is not trusted', async () => {
    await expect(connectTo(anotherAuthority.issue())).rejects.toThrow(/unable to (verify|get)|self.signed|UNABLE_TO/i);
  });

  test('a connection is refused when the certificate is for another host', async () => {
    await expect(connectTo(authority.issue({ host: 'other.example' }))).rejects.toThrow(
      /does not match certificate|ALTNAME/,
    );
  });

  test('a connection is refused when the certificate has expired', async () => {
    await expect(connectTo(authority.issue({ expired: true }))).rejects.toThrow(/expired/i);
  });
});

test('the metrics can be read while an encrypted connection to NATS is lost, and then know no end of its certificate', async () => {
  const nats = await startNatsWith(authority.issue());
  const rpc = await Rpc.connect(`tls://127.0.0.1:${nats.port}`, 'gateway');
  try {
    const metrics = new Metrics('test');
    watchNats(rpc, metrics);
    const left = async () =>
      (await metrics.registry.getSingleMetric('batuta_nats_certificate_left_seconds')?.get())?.values[0]?.value;
    expect(await left()).toBeGreaterThan(0);
    // The client keeps the closed socket until it dials again, which it does not before the metrics are read here.
    closeStale(Object(rpc).connection);
    expect(await left()).toBeNaN();
  } finally {
    await rpc.close();
    await nats.stop();
  }
});
