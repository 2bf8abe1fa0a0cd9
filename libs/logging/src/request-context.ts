import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

const storage = new AsyncLocalStorage<{ requestID: string }>();

/** The id of the request being worked on: one id from HTTP through NATS to the agent's log lines. */
export function currentRequestID(): string | undefined {
  return storage.getStore()?.requestID;
}

/** Runs `work` as part of a request; without an id a new one is made. */
export function withRequestID<T>(requestID: string | undefined, work: () => T): T {
  return storage.run({ requestID: requestID ?? randomUUID() }, work);
}
