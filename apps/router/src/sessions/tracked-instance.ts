import type { DesiredState, HeldInstance } from '@batuta/contracts';

/**
 * State of an instance at a session: offered to the agent; accepted while execution commits the grant; granted, so that
 * the agent runs it.
 */
export type TrackedState = 'offered' | 'granting' | 'granted';

/** What happens to a tracked instance; `TRANSITIONS` says which state follows. */
export type TrackedEvent =
  /** The agent's reply to the offer, or none before the deadline. */
  | 'accepted'
  | 'rejected'
  | 'unanswered'
  /** The two replies of execution to the grant request. */
  | 'granted'
  | 'refused'
  /** Execution has committed the instance's end. */
  | 'ended'
  /** Execution refused a report of the instance, which has ended or has a newer fencing token. */
  | 'reportRefused'
  | 'sessionEnded';

/** `backOff`: the session claims nothing for a while, so that an agent that rejects everything causes no busy loop. */
export type TrackedEffect = 'requestGrant' | 'sendGrant' | 'sendRevoke' | 'release' | 'backOff';

export interface TrackedTransition {
  /** `removed`: the session no longer tracks the instance. */
  to: TrackedState | 'removed';
  effects: readonly TrackedEffect[];
}

const TRANSITIONS: Record<TrackedState, Partial<Record<TrackedEvent, TrackedTransition>>> = {
  offered: {
    accepted: { to: 'granting', effects: ['requestGrant'] },
    rejected: { to: 'removed', effects: ['release', 'backOff'] },
    unanswered: { to: 'removed', effects: ['sendRevoke', 'release', 'backOff'] },
    sessionEnded: { to: 'removed', effects: ['release'] },
  },
  granting: {
    granted: { to: 'granted', effects: ['sendGrant'] },
    refused: { to: 'removed', effects: ['sendRevoke'] },
    // If execution committed the grant after all, the release has no effect and the agent may resume the instance.
    sessionEnded: { to: 'removed', effects: ['release'] },
  },
  granted: {
    ended: { to: 'removed', effects: [] },
    reportRefused: { to: 'removed', effects: [] },
    // The agent may resume the instance until the lease expires; then execution ends it.
    sessionEnded: { to: 'removed', effects: [] },
  },
};

/** The transition for an event; undefined = the event has no effect, such as a second accept. */
export function transitionOf(state: TrackedState, event: TrackedEvent): TrackedTransition | undefined {
  return TRANSITIONS[state][event];
}

/** An instance as one session tracks it. */
export interface TrackedInstance extends HeldInstance {
  state: TrackedState;
  /** Request id of the start that created the instance. */
  requestID: string;
  /** The newest desired state that the router knows. */
  desired: DesiredState;
  /** Number of changes of `desired`: a reply that was requested before a change is stale. */
  desiredVersion: number;
  offerTimer?: NodeJS.Timeout;
}
