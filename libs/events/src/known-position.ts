import type { InstanceBody } from '@batuta/contracts';

/** How long a stream shows the position that it knows: to count the position reads the queue, and streams poll often. */
const KEPT_MS = 30_000;

/** The position of a queued instance as a stream of events knows it. */
export class KnownPosition {
  private known: { position: number; until: number } | undefined;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** The position for the next poll; undefined when it is to be counted. */
  current(): number | undefined {
    return this.known && this.known.until > this.now() ? this.known.position : undefined;
  }

  /** Takes the position from the reply to a poll. An instance that has left the queue may come back at another position. */
  note(body: InstanceBody): void {
    const position = 'queue' in body ? body.queue?.position : undefined;
    if (position === undefined) this.known = undefined;
    else if (this.current() === undefined) this.known = { position, until: this.now() + KEPT_MS };
  }
}
