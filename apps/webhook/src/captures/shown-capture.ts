import type { Capture, CaptureSummary } from '@batuta/contracts';
import { isTooDeep } from '@batuta/matrix';
import { parsePayload } from '../calls/payload';
import type { Payload } from '../calls/tree';
import type { StoredPayload } from '../calls/stored-payload';
import { payloadOf } from '../calls/tree';

/** A capture as its owner sees it; what must not be shown is out of `stored` already. */
export function shownCapture(summary: CaptureSummary, stored: StoredPayload): Capture {
  if (stored.truncated) return { ...summary, text: stored.body };
  const { body, tree } = openPayload(stored);
  if (isTooDeep(body)) return { ...summary, text: stored.body };
  // The tree has the fields of a body; one without fields shows only as text.
  const hasFields = typeof body === 'object' && body !== null;
  return { ...summary, payload: tree, ...(!hasFields && { text: stored.body }) };
}

/** What pointers go over, of a capture that is whole. */
export function openPayload({ body, query, headers }: StoredPayload): Payload {
  return payloadOf(parsePayload(body), query, headers);
}
