import type { DesiredState, InstanceStatus, Outcome } from '@batuta/contracts';

/** The part of an instance that decides which events it allows. */
export interface InstanceState {
  status: InstanceStatus;
  desired: DesiredState;
}

/**
 * `claim`: a session takes the instance from the queue. `grant`: the agent accepted the offer and may run it.
 * `release`: the session returns an instance that was not granted. `adopt`: a resumed agent still holds the instance. `lost`: the session of
 * the instance has ended, its offer was not granted in time, or its result cannot be known. `cancel`: the environment empties its queue, or the
 * queued instance can never run. `end`: the agent reports the outcome. The others are the actions of callers.
 */
export type TransitionEvent = { type: StatusOnlyEvent | SingleEvent } | { type: 'end'; outcome: Outcome };

/**
 * Events whose effect depends on the status alone, so that SQL may contain it (`status-sql.ts`). Claim and grant are decided in SQL, for
 * many rows in one statement; release and adoption by `transition`, for each locked row.
 */
export type StatusOnlyEvent = 'claim' | 'grant' | 'release' | 'adopt';

type SingleEvent = 'lost' | 'cancel' | 'stop' | 'pause' | 'resume';

export interface Transition {
  next: InstanceState;
  /** Set when the event ends the instance. */
  outcome?: Outcome;
  /**
   * Set when the event ends the instance in the queue: its credit is returned, unless it is a debug run, which cost none (interpretation 40).
   */
  refund?: true;
}

/** `finished` and `unresolved` become 409 for a caller; `stale` means that an agent or a router acts on an old state. */
export interface RefusedTransition {
  refused: 'finished' | 'unresolved' | 'stale';
}

/** A move that no SQL statement contains. */
type TransitionRule = (state: InstanceState, event: TransitionEvent) => Transition | RefusedTransition;

/** Status of an instance when it is accepted. */
export const INITIAL_STATUS: InstanceStatus = 'queued';

/** The statuses of instances that have not ended. */
const ACTIVE_STATUSES: readonly InstanceStatus[] = ['queued', 'unknown', 'running'];

/** The status of an instance that ended with an outcome (interpretation 5). */
const STATUS_OF_OUTCOME: Record<Outcome, InstanceStatus> = {
  FINALIZED: 'success',
  TERMINATED: 'terminated',
  STEP_LIMIT_REACHED: 'error',
  ERROR: 'error',
  STOPPED: 'stopped',
  CRASHED: 'error',
};

const REFUSED_STALE: RefusedTransition = { refused: 'stale' };
const REFUSED_UNRESOLVED: RefusedTransition = { refused: 'unresolved' };
const REFUSED_FINISHED: RefusedTransition = { refused: 'finished' };

/** Event → status before → status after. SQL statements read it through `statusesBefore` and `statusSetBy`. */
const STATUS_ONLY_MOVES: Record<StatusOnlyEvent, Partial<Record<InstanceStatus, InstanceStatus>>> = {
  claim: { queued: 'unknown' },
  grant: { unknown: 'running' },
  release: { unknown: 'queued' },
  adopt: { unknown: 'running', running: 'running' },
};

/** Event → status before → rule. The caller has locked every row that it changes by the result of the rule. */
const TRANSITION_RULES: Record<
  Exclude<TransitionEvent['type'], StatusOnlyEvent>,
  Partial<Record<InstanceStatus, TransitionRule>>
> = {
  lost: {
    unknown: (state) => ({ next: { ...state, status: 'queued' } }),
    running: ({ desired }) => toEnded(desired === 'stop' ? 'STOPPED' : 'CRASHED', desired),
  },
  cancel: { queued: endInQueue },
  end: { running: ({ desired }, event) => (event.type === 'end' ? toEnded(event.outcome, desired) : REFUSED_STALE) },
  stop: {
    queued: endInQueue,
    // No agent runs an offer before its grant; the end raises the fence, so that the grant fails.
    unknown: () => toEnded('STOPPED', 'stop'),
    running: (state) => ({ next: { ...state, desired: 'stop' } }),
  },
  pause: { running: (state) => changeDesired(state, 'run', 'pause') },
  resume: { running: (state) => changeDesired(state, 'pause', 'run') },
};

/** Applies an event to an instance. The two tables hold every allowed move (contract 3.1, interpretations 3–6, 40, 46). */
export function transition(state: InstanceState, event: TransitionEvent): Transition | RefusedTransition {
  if (isStatusOnly(event.type)) {
    const status = STATUS_ONLY_MOVES[event.type][state.status];
    return status ? { next: { ...state, status } } : REFUSED_STALE;
  }
  const rule = TRANSITION_RULES[event.type][state.status];
  return rule ? rule(state, event) : refusalOf(event, state);
}

/** The statuses of the rows to which a statement may apply `event`. */
export function statusesBefore(event: StatusOnlyEvent): InstanceStatus[] {
  return ACTIVE_STATUSES.filter((status) => STATUS_ONLY_MOVES[event][status] !== undefined);
}

/** The status that a statement sets when it applies `event`. */
export function statusSetBy(event: StatusOnlyEvent): InstanceStatus {
  const [target, ...others] = new Set(Object.values(STATUS_ONLY_MOVES[event]));
  if (!target || others.length > 0) throw new Error(`The event ${event} has no single target`);
  return target;
}

export function isActive(status: InstanceStatus): boolean {
  return ACTIVE_STATUSES.includes(status);
}

function isStatusOnly(type: TransitionEvent['type']): type is StatusOnlyEvent {
  return type in STATUS_ONLY_MOVES;
}

function refusalOf({ type }: TransitionEvent, { status }: InstanceState): RefusedTransition {
  if (type !== 'stop' && type !== 'pause' && type !== 'resume') return REFUSED_STALE;
  return isActive(status) ? REFUSED_UNRESOLVED : REFUSED_FINISHED;
}

function endInQueue(): Transition {
  return { ...toEnded('STOPPED', 'stop'), refund: true };
}

function changeDesired(state: InstanceState, from: DesiredState, to: DesiredState): Transition | RefusedTransition {
  return state.desired === from ? { next: { ...state, desired: to } } : REFUSED_UNRESOLVED;
}

function toEnded(outcome: Outcome, desired: DesiredState): Transition {
  return { next: { status: STATUS_OF_OUTCOME[outcome], desired }, outcome };
}
