import type { InstanceBody } from '@batuta/contracts';

/** How long a stream shows a position before it asks for a new count: counting reads the queue, and streams poll often. */
const TIME_TO_LIVE_MS = 30_000;

/** The position of a queued instance as a stream of events knows it. */
export class KnownPosition {
  private known: { position: number; until: number } | undefined;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** The position to send with the next poll; undefined when execution has to count it. */
  current(): number | undefined {
    return this.known && this.known.until > this.now() ? this.known.position : undefined;
  }

  /**
   * Takes the position from the reply to a poll, unless one is still known: the reply repeats that one, which must not count as new. Forgets it
   * when the instance has left the queue, which it may re-enter elsewhere.
   */
  note(body: InstanceBody): void {
    const position = 'queue' in body ? body.queue?.position : undefined;
    if (position === undefined) this.known = undefined;
    else if (this.current() === undefined) this.known = { position, until: this.now() + TIME_TO_LIVE_MS };
  }
}
