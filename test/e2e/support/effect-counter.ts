import { createServer } from 'node:http';
import type { Flow } from '@batuta/flow';

/** A system outside of Batuta that flows call: it counts what was done to it, by instance. */
export interface Effects {
  url: string;
  /** Per instance the orders that its calls carried, one for each call. */
  orders: ReadonlyMap<string, readonly string[]>;
  /** From now on calls have their effect at once, and their answers only when they are released: the barrier of a test. */
  hold(): void;
  /** So many of the held answers; all of them, and no more holding, unless a number is given. */
  release(count?: number): void;
  stop(): Promise<void>;
}

export async function startEffects(): Promise<Effects> {
  const orders = new Map<string, string[]>();
  const held: (() => void)[] = [];
  let holding = false;
  const server = createServer((request, response) => {
    const [instanceID = '', order = ''] = (request.url ?? '').slice(1).split('/');
    orders.set(instanceID, [...(orders.get(instanceID) ?? []), order]);
    request.resume();
    const answer = () => response.writeHead(200, { 'content-type': 'application/json' }).end('{"done":true}');
    if (holding) held.push(answer);
    else answer();
  });
  // Who reuses a connection must not meet its end.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The counter of effects is not listening');
  return {
    url: `http://127.0.0.1:${address.port}`,
    orders,
    hold: () => {
      holding = true;
    },
    release: (count) => {
      holding = count !== undefined;
      for (const answer of held.splice(0, count ?? held.length)) answer();
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const ORDER = [{ name: 'order', type: 'Texto' }];

/**
 * Takes an order, waits, has its one effect, waits: so that a kill finds instances before it, in it and behind it.
 * `seconds` = how long it waits on either side.
 */
export function effectFlow({ url }: Effects, seconds = 0.05): Flow {
  return {
    start: 'Take',
    steps: [
      {
        name: 'Take',
        type: 'wait',
        seconds,
        rows: [{ name: 'taken', mode: 'Variável ou texto', value: 'order {matrix.order}' }],
        routes: [{ to: 'Book' }],
      },
      {
        name: 'Book',
        type: 'rest',
        method: 'POST',
        url: `${url}/{instanceID}/{matrix.order}`,
        timeoutSeconds: 300,
        routes: [{ to: 'Close' }],
      },
      { name: 'Close', type: 'wait', seconds },
    ],
  };
}
