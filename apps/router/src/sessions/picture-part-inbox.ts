import type { EvidenceFrame } from '@batuta/agent-protocol';
import type { Reservation } from '@batuta/async';

/** Maximum number of parts that wait; a correct agent sends one at a time. */
const MAX_PARTS = 4;

/** The parts of pictures of one session that execution has not stored yet, in their order. */
export class PicturePartInbox {
  private readonly parts: { part: EvidenceFrame; memory: Reservation }[] = [];

  /** True when the next part must be refused. */
  get isFull(): boolean {
    return this.parts.length >= MAX_PARTS;
  }

  /** Adds a part; returns true when it is the only one, so that the caller must start forwarding. */
  add(part: EvidenceFrame, memory: Reservation): boolean {
    this.parts.push({ part, memory });
    return this.parts.length === 1;
  }

  /** The part that was added first; it keeps its memory until `removeOldest`. Undefined when there is none. */
  get oldest(): EvidenceFrame | undefined {
    return this.parts[0]?.part;
  }

  removeOldest(): void {
    this.parts.shift()?.memory.release();
  }

  /** Releases the memory of all parts when the session ends; the agent sends them again. */
  release(): void {
    for (const { memory } of this.parts.splice(0)) memory.release();
  }
}
