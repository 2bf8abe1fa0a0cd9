import { EventAddresses } from './event-address';
import { BLOCKED_PORTS } from './blocked-ports';

/** Beyond it `fetch` blocks no port. */
const LAST_PORT = 10_100;

const dispatcher = {
  dispatch() {
    throw new Error('no connection in this test');
  },
};

async function isBlockedByFetch(port: number): Promise<boolean> {
  try {
    await fetch(`https://receiver.example:${port}/`, Object({ dispatcher }));
    return false;
  } catch (error) {
    return Object(error).cause?.message === 'bad port';
  }
}

test('the blocked ports are those to which fetch does not connect', async () => {
  const blocked: number[] = [];
  for (let port = 1; port <= LAST_PORT; port++) if (await isBlockedByFetch(port)) blocked.push(port);
  expect(blocked).toEqual([...BLOCKED_PORTS]);
});

test.each([25, 6000, 10080])(
  'an address with the port %i, to which no event could be sent, is refused',
  async (port) => {
    const addresses = new EventAddresses({ EVENT_ALLOW_HOSTS: ['127.0.0.1'], EVENT_DENY_HOSTS: [] });
    await expect(addresses.requireUsable(`https://127.0.0.1:${port}/`)).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: `url: has the port ${port}, which other protocols than HTTP use and Batuta does not connect to`,
    });
  },
);
