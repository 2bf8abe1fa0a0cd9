import type { DesiredState, HeldInstance } from '@batuta/contracts';

/**
 * Where an instance stands that a session holds: offered to the agent, accepted while execution commits the grant, or
 * granted, that is the agent's to run. An instance that the session does not hold is in none of them.
 */
export type HeldState = 'offered' | 'granting' | 'granted';

export type HeldEvent =
  /** The agent's answer to the offer, or none in time. */
  | 'accepted'
  | 'rejected'
  | 'unanswered'
  /** Execution's answer to the grant. */
  | 'granted'
  | 'refused'
  /** The end is committed. */
  | 'ended'
  /** Execution takes no more reports of it. */
  | 'disowned'
  | 'sessionEnded';

/** `rest`: the session takes no more work for a moment, so that an agent that rejects does not spin. */
export type HeldAct = 'askGrant' | 'sendGrant' | 'sendRevoke' | 'release' | 'rest';

export interface HeldMove {
  to: HeldState | 'gone';
  acts: readonly HeldAct[];
}

const MOVES: Record<HeldState, Partial<Record<HeldEvent, HeldMove>>> = {
  offered: {
    accepted: { to: 'granting', acts: ['askGrant'] },
    rejected: { to: 'gone', acts: ['release', 'rest'] },
    unanswered: { to: 'gone', acts: ['sendRevoke', 'release', 'rest'] },
    sessionEnded: { to: 'gone', acts: ['release'] },
  },
  granting: {
    granted: { to: 'granted', acts: ['sendGrant'] },
    refused: { to: 'gone', acts: ['sendRevoke'] },
    // If the grant was committed after all, the release changes nothing, and the agent may resume with it.
    sessionEnded: { to: 'gone', acts: ['release'] },
  },
  granted: {
    ended: { to: 'gone', acts: [] },
    disowned: { to: 'gone', acts: [] },
    // Waits for the agent's return until the lease is over; execution decides then.
    sessionEnded: { to: 'gone', acts: [] },
  },
};

/** What an event does to a held instance; undefined = nothing, as for an accept that comes twice. */
export function heldMove(state: HeldState, event: HeldEvent): HeldMove | undefined {
  return MOVES[state][event];
}

/** An instance as one session holds it. */
export interface Held extends HeldInstance {
  state: HeldState;
  /** Of the start that made it. */
  requestID: string;
  /** What the agent was told last, and how often it was told. */
  desired: DesiredState;
  told: number;
  timer?: NodeJS.Timeout;
}
