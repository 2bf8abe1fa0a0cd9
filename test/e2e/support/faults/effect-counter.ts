import { createServer } from 'node:http';
import type { Flow } from '@batuta/flow';
import { listenOnFreePort } from '../../../support/web-server';

/** An external system that flows call; it counts the calls of each instance. */
export interface EffectCounter {
  url: string;
  /** Instance id → the orders that its calls carried, one per call. */
  orders: ReadonlyMap<string, readonly string[]>;
  /** From now on each call is counted at once, but its answer waits for `release`. */
  hold(): void;
  /** Sends `count` of the held answers; without `count` sends all of them, and holds no later ones. */
  release(count?: number): void;
  stop(): Promise<void>;
}

export async function startEffectCounter(): Promise<EffectCounter> {
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
  // 0 = the server never closes an idle connection, so that no caller reuses a connection which is about to close.
  server.keepAliveTimeout = 0;
  const port = await listenOnFreePort(server);
  return {
    url: `http://127.0.0.1:${port}`,
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

/** The Matrix variables of a process with `effectFlow`. */
export const ORDER_MATRIX = [{ name: 'order', type: 'Texto' }];

/**
 * A flow with one effect between two waits of `seconds`, so that a kill finds instances before, in and after the effect.
 */
export function effectFlow({ url }: EffectCounter, seconds = 0.05): Flow {
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
