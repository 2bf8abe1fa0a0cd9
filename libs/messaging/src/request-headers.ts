import { currentActor, currentRequestID, REQUEST_ID_HEADER } from '@batuta/observability';
import { traceToSend } from '@batuta/tracing';
import { headers, type MsgHdrs } from '@nats-io/transport-node';
import { MEMORY_SHARE_HEADER, TENANT_HEADER } from './large-requests';
import type { WrittenPacket } from './packet';

/** W3C Trace Context. */
export const TRACEPARENT_HEADER = 'traceparent';
/** JSON of the `Actor`; only requests on behalf of HTTP routes that change something have it. */
export const ACTOR_HEADER = 'X-Actor';

/** Headers that pass the id, the sender and the trace of the current request on with a message; undefined outside of a request. */
export function requestHeaders(): MsgHdrs | undefined {
  const requestID = currentRequestID();
  if (requestID === undefined) return undefined;
  const sent = headers();
  sent.set(REQUEST_ID_HEADER, requestID);
  const actor = currentActor();
  if (actor) sent.set(ACTOR_HEADER, JSON.stringify(actor));
  const trace = traceToSend();
  if (trace) sent.set(TRACEPARENT_HEADER, trace.traceparent);
  return sent;
}

/** Adds the headers of the tenant and of the memory share to those of a packet, and returns them; undefined if there are none to send. */
export function addTenantHeaders(
  { headers: written }: WrittenPacket,
  tenant: string | undefined,
  memoryShare: string | undefined,
): MsgHdrs | undefined {
  if (tenant === undefined && memoryShare === undefined) return written;
  const sent = written ?? headers();
  if (tenant !== undefined) sent.set(TENANT_HEADER, tenant);
  if (memoryShare !== undefined) sent.set(MEMORY_SHARE_HEADER, memoryShare);
  return sent;
}
