import { createServer } from 'node:http';
import type { Route, Step } from '@batuta/flow';

/** Where flows wait for a test, in place of a time that is too short on one machine and too long on another. */
export interface Gate {
  /** A step that ends when the gate is open; `routes` lead on from it. */
  step(name: string, routes: Route[]): Step;
  shut(): void;
  /** Lets all pass who stand before it, and who comes until it is shut again. */
  open(): void;
  stop(): Promise<void>;
}

/** It is open at first. */
export async function startGate(): Promise<Gate> {
  const standing: (() => void)[] = [];
  let isOpen = true;
  const server = createServer((request, response) => {
    request.resume();
    const pass = () => response.writeHead(200).end();
    if (isOpen) pass();
    else standing.push(pass);
  });
  // Who reuses a connection must not meet its end.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The gate is not listening');
  const url = `http://127.0.0.1:${address.port}/`;
  return {
    step: (name, routes) => ({ name, type: 'rest', method: 'GET', url, timeoutSeconds: 600, routes }),
    shut: () => {
      isOpen = false;
    },
    open: () => {
      isOpen = true;
      for (const pass of standing.splice(0)) pass();
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
