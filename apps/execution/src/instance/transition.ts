import type { DesiredState, InstanceStatus, Outcome } from '@batuta/contracts';

/** The part of an instance that decides what may happen to it next. */
export interface Life {
  status: InstanceStatus;
  desired: DesiredState;
}

/** What can happen to an instance. `lost`: its agent's lease ran out; `cancel`: the environment empties its queue. */
export type LifeEvent =
  | { type: 'claim' | 'grant' | 'release' | 'lost' | 'cancel' | 'stop' | 'pause' | 'resume' }
  | { type: 'end'; outcome: Outcome };

export interface Moved {
  moved: Life;
  /** Set when the instance ended with this event. */
  outcome?: Outcome;
  /** The credit is given back: the instance never left the queue (interpretation 40). */
  refund?: true;
}

/** `finished` and `unresolved` are told to the caller (409); `stale` comes from an agent or router that is behind. */
export interface Refused {
  refused: 'finished' | 'unresolved' | 'stale';
}

/** Interpretation 5: the words of a waiting webhook caller beside the status. */
const STATUS_OF: Record<Outcome, InstanceStatus> = {
  FINALIZED: 'success',
  TERMINATED: 'terminated',
  STEP_LIMIT_REACHED: 'error',
  ERROR: 'error',
  STOPPED: 'stopped',
  CRASHED: 'error',
};

const ACTIVE: readonly InstanceStatus[] = ['queued', 'unknown', 'running'];

export function isActive(status: InstanceStatus): boolean {
  return ACTIVE.includes(status);
}

/** Every allowed move of an instance (contract 3.1, interpretations 3–6, 40, 46), and no other. */
export function transition(life: Life, event: LifeEvent): Moved | Refused {
  switch (event.type) {
    case 'claim':
      return life.status === 'queued' ? moved(life, 'unknown') : { refused: 'stale' };
    case 'grant':
      return life.status === 'unknown' ? moved(life, 'running') : { refused: 'stale' };
    case 'release':
      return life.status === 'unknown' ? moved(life, 'queued') : { refused: 'stale' };
    case 'lost':
      return lost(life);
    case 'cancel':
      return life.status === 'queued' ? { ...ended('STOPPED', 'stop'), refund: true } : { refused: 'stale' };
    case 'end':
      return life.status === 'running' ? ended(event.outcome, life.desired) : { refused: 'stale' };
    default:
      return isActive(life.status) ? controlled(life, event.type) : { refused: 'finished' };
  }
}

function controlled(life: Life, action: 'stop' | 'pause' | 'resume'): Moved | Refused {
  if (action === 'stop') {
    if (life.status === 'queued') return { ...ended('STOPPED', 'stop'), refund: true };
    // Nobody runs an offer that was not granted: with the fence moved on it never will be.
    if (life.status === 'unknown') return ended('STOPPED', 'stop');
    return { moved: { ...life, desired: 'stop' } };
  }
  const from: DesiredState = action === 'pause' ? 'run' : 'pause';
  if (life.status !== 'running' || life.desired !== from) return { refused: 'unresolved' };
  return { moved: { ...life, desired: action === 'pause' ? 'pause' : 'run' } };
}

function lost(life: Life): Moved | Refused {
  if (life.status === 'unknown') return moved(life, 'queued');
  if (life.status !== 'running') return { refused: 'stale' };
  return ended(life.desired === 'stop' ? 'STOPPED' : 'CRASHED', life.desired);
}

function moved(life: Life, status: InstanceStatus): Moved {
  return { moved: { ...life, status } };
}

function ended(outcome: Outcome, desired: DesiredState): Moved {
  return { moved: { status: STATUS_OF[outcome], desired }, outcome };
}
