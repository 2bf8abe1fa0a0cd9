import type { DesiredState, HeldInstance } from '@batuta/contracts';
import type { Span } from '@batuta/tracing';

/**
 * State of an instance at a session: offered to the agent; accepted while execution commits the grant; granted, so that
 * the agent runs it.
 */
export type TrackedState = 'offered' | 'granting' | 'granted';

/** What happens to a tracked instance; `TRACKED_TRANSITIONS` says which state follows. */
export type TrackedEvent =
  /** The agent's reply to the offer; the last one means that it did not reply in time. */
  | 'accepted'
  | 'rejected'
  | 'unanswered'
  /** The two replies of execution to the grant request. */
  | 'granted'
  | 'refused'
  /** Execution has committed the instance's end. */
  | 'ended'
  /** Execution refused a report of the instance, because it has ended or has a newer fencing token. */
  | 'reportRefused'
  | 'sessionEnded';

/** `backOff`: the session claims nothing for a while, so that an agent that rejects everything causes no busy loop. */
export type TrackedEffect = 'requestGrant' | 'sendGrant' | 'sendRevoke' | 'release' | 'backOff';

export interface TrackedTransition {
  /** `removed`: the session no longer tracks the instance. */
  to: TrackedState | 'removed';
  effects: readonly TrackedEffect[];
}

const TRACKED_TRANSITIONS: Record<TrackedState, Partial<Record<TrackedEvent, TrackedTransition>>> = {
  offered: {
    accepted: { to: 'granting', effects: ['requestGrant'] },
    rejected: { to: 'removed', effects: ['release', 'backOff'] },
    unanswered: { to: 'removed', effects: ['sendRevoke', 'release', 'backOff'] },
    sessionEnded: { to: 'removed', effects: ['release'] },
  },
  granting: {
    granted: { to: 'granted', effects: ['sendGrant'] },
    refused: { to: 'removed', effects: ['sendRevoke'] },
    // The instance is released. If execution has committed the grant after all, the release has no effect and the agent
    // may resume the instance.
    sessionEnded: { to: 'removed', effects: ['release'] },
  },
  granted: {
    ended: { to: 'removed', effects: [] },
    reportRefused: { to: 'removed', effects: [] },
    // No release: the agent may resume the instance until the lease expires; then execution ends it.
    sessionEnded: { to: 'removed', effects: [] },
  },
};

/** The transition for an event; undefined = the event has no effect, such as a second accept. */
export function transitionOf(state: TrackedState, event: TrackedEvent): TrackedTransition | undefined {
  return TRACKED_TRANSITIONS[state][event];
}

/** An instance as one session tracks it. */
export interface TrackedInstance extends HeldInstance {
  state: TrackedState;
  /** Request id of the start that created the instance. */
  requestID: string;
  /**
   * Acceptance of the start, in epoch milliseconds of the database's clock; absent for an instance of an earlier
   * session.
   */
  acceptedAt?: number;
  /** W3C Trace Context that is the parent of the instance's spans; absent when the start is not traced. */
  traceparent?: string;
  /** The span from the offer to the grant; only for a traced instance. */
  dispatchSpan?: Span;
  /** The newest desired state that the router knows. */
  desired: DesiredState;
  /** Counts the changes of `desired`: a reply that was requested before the latest change is stale. */
  desiredVersion: number;
  /** The greatest number of a report in this session, 0 before the first; absent for an instance of an earlier session without a report. */
  lastReport?: number;
  /** The size of the offer in bytes; absent for an instance of an earlier session. */
  offerBytes?: number;
  /** Withdraws the offer when the agent does not reply in time. */
  offerTimer?: NodeJS.Timeout;
}
