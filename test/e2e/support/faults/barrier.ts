import { createServer } from 'node:http';
import type { Route, Step } from '@batuta/flow';
import { listenOnFreePort } from '../../../support/web-server';

/** A REST endpoint at which flows wait until the test opens it, at most ten minutes, instead of a wait step of a guessed length. */
export interface Barrier {
  /** A step that ends when the barrier is open; `routes` are its routes. */
  step(name: string, routes: Route[]): Step;
  /** From now on calls wait. */
  shut(): void;
  /** Answers all calls that wait, and every later call until `shut`. */
  open(): void;
  stop(): Promise<void>;
}

/** Starts a barrier, which is open at first. */
export async function startBarrier(): Promise<Barrier> {
  const waiting: (() => void)[] = [];
  let isOpen = true;
  const server = createServer((request, response) => {
    request.resume();
    const pass = () => response.writeHead(200).end();
    if (isOpen) pass();
    else waiting.push(pass);
  });
  // 0 = the server never closes an idle connection, so that no caller reuses a connection which is about to close.
  server.keepAliveTimeout = 0;
  const url = `http://127.0.0.1:${await listenOnFreePort(server)}/`;
  return {
    step: (name, routes) => ({ name, type: 'rest', method: 'GET', url, timeoutSeconds: 600, routes }),
    shut: () => {
      isOpen = false;
    },
    open: () => {
      isOpen = true;
      for (const pass of waiting.splice(0)) pass();
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
