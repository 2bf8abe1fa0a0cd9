import { startWebServer } from '../../../../test/support/web-server';
import { EventReceiver } from '../../test/event-receiver';
import { EventAddresses } from '../event-subscriptions/event-address';
import { EventSender } from './event-sender';

const MESSAGE = { id: 'evt_1', body: '{}' };
const KEYS = [Buffer.from('key')];
/** Resolves every name to the addresses that a test decides. */
class TestAddresses extends EventAddresses {
  readonly lookedUp: string[] = [];

  constructor(
    lists: { EVENT_ALLOW_HOSTS?: string[]; EVENT_DENY_HOSTS?: string[] },
    private readonly addressesOf: () => string[],
  ) {
    super({ EVENT_ALLOW_HOSTS: [], EVENT_DENY_HOSTS: [], ...lists });
  }

  override readonly resolve: EventAddresses['resolve'] = (host, _options, done) => {
    this.lookedUp.push(host);
    done(
      null,
      this.addressesOf().map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
}

let receiver: EventReceiver;
beforeAll(async () => {
  receiver = await EventReceiver.start();
});
afterAll(() => receiver.stop());
beforeEach(() => void (receiver.received.length = 0));

const senderTo = (addresses: EventAddresses) => new EventSender(addresses, { EVENT_TIMEOUT_MS: 5_000 });
const STRICT = { EVENT_ALLOW_HOSTS: [], EVENT_DENY_HOSTS: [] };

test.each(['https://127.0.0.1', 'https://localhost', 'https://[::1]', 'https://10.0.0.1', 'https://0x7f.1'])(
  'nothing is sent to %s, which is not public',
  async (origin) => {
    const url = `${origin}:${receiver.port}/`;
    const addresses = new EventAddresses(STRICT);
    await expect(addresses.requireUsable(url)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    const result = await senderTo(addresses).send(url, MESSAGE, KEYS);
    expect(result).toMatchObject({
      status: null,
      error: expect.stringMatching(/no public address.*EVENT_ALLOW_HOSTS/),
    });
    expect(receiver.received).toEqual([]);
  },
);

test('a name that resolves to a private address since its subscription is refused at the connection, and the error does not tell the address', async () => {
  let address = '203.0.114.1';
  const addresses = new TestAddresses({}, () => [address]);
  const url = `https://receiver.example:${receiver.port}/`;
  await expect(addresses.requireUsable(url)).resolves.toBeUndefined();
  address = '127.0.0.1';
  const { status, error } = await senderTo(addresses).send(url, MESSAGE, KEYS);
  expect(status).toBeNull();
  expect(error).toMatch(/^Batuta does not connect to receiver\.example, port \d+: it has no public address/);
  expect(error).not.toContain('127.0.0.1');
  expect(receiver.received).toEqual([]);
});

test('a host that the operator lists may be private and without TLS, and a denied one may not', async () => {
  const url = `http://receiver.example:${receiver.port}/`;
  const allowed = new TestAddresses({ EVENT_ALLOW_HOSTS: ['receiver.example'] }, () => ['127.0.0.1']);
  await expect(allowed.requireUsable(url)).resolves.toBeUndefined();
  expect(await senderTo(allowed).send(url, MESSAGE, KEYS)).toMatchObject({ status: 204, error: null });
  const lists = { EVENT_ALLOW_HOSTS: ['receiver.example'], EVENT_DENY_HOSTS: ['127.0.0.0/8'] };
  const denied = new TestAddresses(lists, () => ['127.0.0.1']);
  await expect(denied.requireUsable(url)).rejects.toMatchObject({
    message: expect.stringContaining('EVENT_DENY_HOSTS'),
  });
  expect((await senderTo(denied).send(url, MESSAGE, KEYS)).error).toContain('EVENT_DENY_HOSTS');
});

test('an address without TLS gets nothing once the operator no longer lists its host', async () => {
  const result = await senderTo(new EventAddresses(STRICT)).send(receiver.url, MESSAGE, KEYS);
  expect(result).toMatchObject({ status: null, error: expect.stringMatching(/^must begin with https/) });
  expect(receiver.received).toEqual([]);
});

test('a server whose certificate nobody trusts, or that speaks no TLS, gets nothing', async () => {
  const addresses = new TestAddresses({ EVENT_ALLOW_HOSTS: ['receiver.example'] }, () => ['127.0.0.1']);
  const result = await senderTo(addresses).send(`https://receiver.example:${receiver.port}/`, MESSAGE, KEYS);
  expect(result).toMatchObject({ status: null, error: expect.stringMatching(/^no connection: \w+$/) });
  expect(receiver.received).toEqual([]);
});

test('an answer that is cut off inside of its compressed data counts by its status, and does not end the service', async () => {
  const addresses = new TestAddresses({ EVENT_ALLOW_HOSTS: ['receiver.example'] }, () => ['127.0.0.1']);
  const endlessFileName = Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]), Buffer.alloc(500_000, 97)]);
  const server = await startWebServer((_request, response) => {
    response.writeHead(200, {
      'content-encoding': 'gzip',
      'content-length': endlessFileName.length,
      connection: 'close',
    });
    response.end(endlessFileName);
  });
  const url = `http://receiver.example:${server.port}/`;
  try {
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expect(await senderTo(addresses).send(url, MESSAGE, KEYS)).toMatchObject({ status: 200, error: null });
    }
  } finally {
    await server.stop();
  }
});
