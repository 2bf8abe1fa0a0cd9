import { INSTANCE_STATUSES, type DesiredState, type InstanceStatus } from '@batuta/contracts';
import {
  INITIAL_STATUS,
  statusesBefore,
  statusSetBy,
  transition,
  type StatusOnlyEvent,
  type TransitionEvent,
} from './transition';

const STATUS_ONLY_EVENTS: StatusOnlyEvent[] = ['claim', 'grant', 'release', 'adopt'];
const DESIRED_STATES: DesiredState[] = ['run', 'pause', 'stop'];
const ALL_EVENTS: TransitionEvent[] = [
  ...([...STATUS_ONLY_EVENTS, 'lost', 'cancel', 'stop', 'pause', 'resume'] as const).map((type) => ({ type })),
  { type: 'end', outcome: 'FINALIZED' },
  { type: 'end', outcome: 'TERMINATED' },
  { type: 'end', outcome: 'STEP_LIMIT_REACHED' },
  { type: 'end', outcome: 'ERROR' },
  { type: 'end', outcome: 'STOPPED' },
  { type: 'end', outcome: 'CRASHED' },
];

const eventName = (event: TransitionEvent) => (event.type === 'end' ? event.outcome : event.type);

/** `status/desired event` → `status/desired[ outcome][ refund]`. Everything not listed is refused. */
const ALLOWED_TRANSITIONS: Record<string, string> = {
  'queued/run claim': 'unknown/run',
  'queued/run cancel': 'stopped/stop STOPPED refund',
  'queued/run stop': 'stopped/stop STOPPED refund',
  'unknown/run grant': 'running/run',
  'unknown/run release': 'queued/run',
  'unknown/run adopt': 'running/run',
  'unknown/run lost': 'queued/run',
  'unknown/run stop': 'stopped/stop STOPPED',
  'running/run pause': 'running/pause',
  'running/run stop': 'running/stop',
  'running/run lost': 'error/run CRASHED',
  'running/pause resume': 'running/run',
  'running/pause stop': 'running/stop',
  'running/pause lost': 'error/pause CRASHED',
  'running/stop stop': 'running/stop',
  'running/stop lost': 'stopped/stop STOPPED',
  ...Object.fromEntries(
    DESIRED_STATES.flatMap((desired) => [
      [`running/${desired} adopt`, `running/${desired}`],
      [`running/${desired} FINALIZED`, `success/${desired} FINALIZED`],
      [`running/${desired} TERMINATED`, `terminated/${desired} TERMINATED`],
      [`running/${desired} STEP_LIMIT_REACHED`, `error/${desired} STEP_LIMIT_REACHED`],
      [`running/${desired} ERROR`, `error/${desired} ERROR`],
      [`running/${desired} STOPPED`, `stopped/${desired} STOPPED`],
      [`running/${desired} CRASHED`, `error/${desired} CRASHED`],
    ]),
  ),
};

/** A queued or offered instance always has the desired state `run`; an ended one may have any. */
const POSSIBLE_STATES = INSTANCE_STATUSES.flatMap((status) =>
  DESIRED_STATES.filter((desired) => desired === 'run' || !['queued', 'unknown'].includes(status)).map(
    (desired): [InstanceStatus, DesiredState] => [status, desired],
  ),
);

const STATE_EVENT_PAIRS = POSSIBLE_STATES.flatMap(([status, desired]) =>
  ALL_EVENTS.map((event) => ({ status, desired, event })),
);

const TITLED_CASES = STATE_EVENT_PAIRS.map((c) => {
  const key = `${c.status}/${c.desired} ${eventName(c.event)}`;
  return [key, ALLOWED_TRANSITIONS[key] ? `gives ${ALLOWED_TRANSITIONS[key]}` : 'is refused', c] as const;
});

test.each(TITLED_CASES)('the transition %s %s', (key, _, c) => {
  const result = transition({ status: c.status, desired: c.desired }, c.event);
  const summary =
    'refused' in result
      ? undefined
      : [`${result.next.status}/${result.next.desired}`, result.outcome, result.refund && 'refund']
          .filter(Boolean)
          .join(' ');
  expect(summary).toBe(ALLOWED_TRANSITIONS[key]);
});

test.each(['stop', 'pause', 'resume'] as const)('%s on an ended instance is refused as finished', (type) => {
  for (const status of ['success', 'error', 'terminated', 'stopped'] as const) {
    expect(transition({ status, desired: 'run' }, { type })).toEqual({ refused: 'finished' });
  }
});

test.each([
  ['pause', 'queued', 'run'],
  ['pause', 'unknown', 'run'],
  ['pause', 'running', 'pause'],
  ['pause', 'running', 'stop'],
  ['resume', 'running', 'run'],
  ['resume', 'queued', 'run'],
  ['resume', 'running', 'stop'],
] as const)(
  '%s on an instance that is %s with the desired state %s is refused as unresolved',
  (type, status, desired) => {
    expect(transition({ status, desired }, { type })).toEqual({ refused: 'unresolved' });
  },
);

test.each(STATUS_ONLY_EVENTS)(
  'a statement for %s takes exactly the statuses that allow it, and sets the status that follows',
  (type) => {
    const moves = INSTANCE_STATUSES.flatMap((status) => {
      const result = transition({ status, desired: 'run' }, { type });
      return 'refused' in result ? [] : [{ from: status, to: result.next.status }];
    });
    expect(statusesBefore(type).toSorted()).toEqual(moves.map(({ from }) => from).toSorted());
    expect(new Set(moves.map(({ to }) => to))).toEqual(new Set([statusSetBy(type)]));
  },
);

test('an accepted instance can be claimed', () => {
  expect(statusesBefore('claim')).toEqual([INITIAL_STATUS]);
});
