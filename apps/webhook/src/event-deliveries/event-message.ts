import { createHmac } from 'node:crypto';

export interface EventMessage {
  /** The id is the same in all attempts, so that a receiver recognizes a repeated message. */
  id: string;
  /** JSON text, to be sent byte for byte: the signatures cover it. */
  body: string;
}

/** The headers of a message as Standard Webhooks defines them; each key makes one signature. */
export function signedHeaders({ id, body }: EventMessage, keys: Buffer[], now: Date): Record<string, string> {
  const timestamp = Math.floor(now.getTime() / 1_000);
  const signatures = keys.map((key) => {
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
    return `v1,${signature}`;
  });
  return {
    'content-type': 'application/json',
    'user-agent': 'Batuta-Events/1',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}

/**
 * The message of an event: an instance has ended, or a firing has started no instance. `data` is JSON, which every
 * attempt sends unchanged.
 */
export function messageOfEvent(given: { eventID: string; event: string; createdAt: Date; data: string }): EventMessage {
  const [type, timestamp] = [JSON.stringify(given.event), JSON.stringify(given.createdAt.toISOString())];
  return { id: `evt_${given.eventID}`, body: `{"type":${type},"timestamp":${timestamp},"data":${given.data}}` };
}
