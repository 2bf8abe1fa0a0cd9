import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

const storage = new AsyncLocalStorage<{ requestID: string }>();

/** The id of the current request; HTTP, NATS messages and the agent's log lines share one id. */
export function currentRequestID(): string | undefined {
  return storage.getStore()?.requestID;
}

/** Runs `work` with this id as the current request id, or with a new id. */
export function withRequestID<T>(requestID: string | undefined, work: () => T): T {
  return storage.run({ requestID: requestID ?? randomUUID() }, work);
}
