/** A session as a taker of work. */
export interface Taker {
  sessionID: string;
  /** Instances at once, as its agent said in `hello`. */
  agentCapacity: number;
  /** Instances at once that the environment allows each agent. */
  environmentCapacity: number;
  held: number;
  /** A claim for it is under way: never two at once. */
  claiming: boolean;
  /** The agent is about to leave. */
  draining: boolean;
  /** It rejected work a moment ago. */
  resting: boolean;
  /** Bytes that wait to be sent to the agent. */
  buffered: number;
  /** The most that one claim asks for: little after one that failed, as it may have brought too much at once. */
  atOnce: number;
}

export interface Allotment {
  sessionID: string;
  limit: number;
  /** No other session has room. */
  alone: boolean;
}

/** Above it the agent reads too slowly to be sent more. */
export const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;
/** Work of one claim travels in one message. */
export const MAX_CLAIM = 50;

/** How many more instances a session may take now. */
export function roomOf(taker: Taker): number {
  if (taker.claiming || taker.draining || taker.resting || taker.buffered > MAX_BUFFERED_BYTES) return 0;
  return Math.max(0, Math.min(taker.agentCapacity, taker.environmentCapacity) - taker.held);
}

/**
 * Who of an environment's sessions claims next, and how much: the one with the most room, its share of that room among
 * those that have any, so that one idle agent does not take the whole queue from the next.
 */
export function nextAllotment(takers: readonly Taker[]): Allotment | undefined {
  const open = takers
    .map((taker) => ({ sessionID: taker.sessionID, room: roomOf(taker), atOnce: taker.atOnce }))
    .filter(({ room }) => room > 0)
    .toSorted((a, b) => b.room - a.room);
  const [first] = open;
  if (!first) return undefined;
  const limit = Math.min(first.atOnce, Math.ceil(first.room / open.length));
  return { sessionID: first.sessionID, limit, alone: open.length === 1 };
}

/** How much the next claim may ask for after one that was answered or not. */
export function nextAtOnce(atOnce: number, answered: boolean): number {
  return answered ? Math.min(MAX_CLAIM, 2 * atOnce) : 1;
}
