import { AsyncLocalStorage } from 'node:async_hooks';
import { newRequestID } from './request-id';

/** The current span of a trace. */
export interface TraceContext {
  traceID: string;
  /** W3C Trace Context of the span, for messages to other services. */
  traceparent: string;
}

/** The sender of the request that is being handled. */
export interface Actor {
  /** Absent in the request that logs in. */
  accountID?: string;
  /** The credential of the API; absent for a login session. */
  credentialID?: string;
  /** The IP address of the sender. */
  address?: string;
}

interface RequestContext {
  requestID: string;
  trace?: TraceContext;
  actor?: Actor;
  tenant?: string;
}

const requestStorage = new AsyncLocalStorage<RequestContext>();

/** The id of the current request; HTTP, NATS messages and the agent's log lines share one id. */
export function currentRequestID(): string | undefined {
  return requestStorage.getStore()?.requestID;
}

export function currentTrace(): TraceContext | undefined {
  return requestStorage.getStore()?.trace;
}

/**
 * The sender of the current request, as `setActor` recorded it here or in the service that sent the message. Absent where it was not recorded,
 * as in requests that only read, in webhook calls, and in periodic tasks.
 */
export function currentActor(): Actor | undefined {
  return requestStorage.getStore()?.actor;
}

/**
 * Records the sender of the current request, for its audit events. Only routes that change something need it.
 */
export function setActor(actor: Actor): void {
  const context = requestStorage.getStore();
  if (context) context.actor = actor;
}

/** The tenant of the current request: its company. Absent before `setTenant`, and in work that serves several tenants. */
export function currentTenant(): string | undefined {
  return requestStorage.getStore()?.tenant;
}

/**
 * Records the tenant of the current request. From then on the memory and the connections to the database that the request uses count for this
 * tenant, also in the services that it calls.
 */
export function setTenant(tenant: string): void {
  const context = requestStorage.getStore();
  if (context) context.tenant = tenant;
}

/**
 * Runs a part of a request for another tenant; `undefined` = for several tenants, as in a batch, which begins in the request of one
 * of them.
 */
export function withTenant<T>(tenant: string | undefined, work: () => T): T {
  const context = requestStorage.getStore();
  if (context?.tenant === tenant) return work();
  return requestStorage.run({ requestID: newRequestID(), ...context, tenant }, work);
}

/** The fields about the current request that every log line gets. */
export function loggedContext(): { requestID?: string; traceId?: string } {
  const context = requestStorage.getStore();
  if (!context) return {};
  const { requestID, trace } = context;
  return trace ? { requestID, traceId: trace.traceID } : { requestID };
}

/**
 * Runs `work` with this id, or a new one, as the current request id. The trace, the actor and the tenant are those that are given, and not
 * those of the current request.
 */
export function withRequestID<T>(
  requestID: string | undefined,
  work: () => T,
  { trace, actor, tenant }: Omit<RequestContext, 'requestID'> = {},
): T {
  return requestStorage.run({ requestID: requestID ?? newRequestID(), trace, actor, tenant }, work);
}

/** Runs `work` with this span as the current one; id, actor and tenant stay those of the current request. */
export function withTrace<T>(trace: TraceContext, work: () => T): T {
  return withRequestID(currentRequestID(), work, { trace, actor: currentActor(), tenant: currentTenant() });
}
