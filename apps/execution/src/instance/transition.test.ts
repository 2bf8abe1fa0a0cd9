import { INSTANCE_STATUSES, type DesiredState, type InstanceStatus } from '@batuta/contracts';
import { transition, type LifeEvent } from './transition';

const DESIRED: DesiredState[] = ['run', 'pause', 'stop'];
const EVENTS: LifeEvent[] = [
  ...(['claim', 'grant', 'release', 'lost', 'cancel', 'stop', 'pause', 'resume'] as const).map((type) => ({ type })),
  { type: 'end', outcome: 'FINALIZED' },
  { type: 'end', outcome: 'TERMINATED' },
  { type: 'end', outcome: 'STEP_LIMIT_REACHED' },
  { type: 'end', outcome: 'ERROR' },
  { type: 'end', outcome: 'STOPPED' },
  { type: 'end', outcome: 'CRASHED' },
];

const name = (event: LifeEvent) => (event.type === 'end' ? event.outcome : event.type);

/** `status/desired event` → `status/desired[ outcome][ refund]`. Everything not listed is refused. */
const ALLOWED: Record<string, string> = {
  'queued/run claim': 'unknown/run',
  'queued/run cancel': 'stopped/stop STOPPED refund',
  'queued/run stop': 'stopped/stop STOPPED refund',
  'unknown/run grant': 'running/run',
  'unknown/run release': 'queued/run',
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
    DESIRED.flatMap((desired) => [
      [`running/${desired} FINALIZED`, `success/${desired} FINALIZED`],
      [`running/${desired} TERMINATED`, `terminated/${desired} TERMINATED`],
      [`running/${desired} STEP_LIMIT_REACHED`, `error/${desired} STEP_LIMIT_REACHED`],
      [`running/${desired} ERROR`, `error/${desired} ERROR`],
      [`running/${desired} STOPPED`, `stopped/${desired} STOPPED`],
      [`running/${desired} CRASHED`, `error/${desired} CRASHED`],
    ]),
  ),
};

/** Only a running instance is ever wanted paused or stopped; an ended one keeps what was wanted last. */
const STATES = INSTANCE_STATUSES.flatMap((status) =>
  (status === 'queued' || status === 'unknown' ? (['run'] as DesiredState[]) : DESIRED).map(
    (desired): [InstanceStatus, DesiredState] => [status, desired],
  ),
);

const CASES = STATES.flatMap(([status, desired]) => EVENTS.map((event) => ({ status, desired, event })));

test.each(CASES.map((c) => [`${c.status}/${c.desired} ${name(c.event)}`, c] as const))('%s', (key, c) => {
  const result = transition({ status: c.status, desired: c.desired }, c.event);
  const told =
    'refused' in result
      ? undefined
      : [`${result.moved.status}/${result.moved.desired}`, result.outcome, result.refund && 'refund']
          .filter(Boolean)
          .join(' ');
  expect(told).toBe(ALLOWED[key]);
});

test.each(['stop', 'pause', 'resume'] as const)('%s on an ended instance says that it is finished', (type) => {
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
] as const)('%s on %s wanted to %s is unresolved', (type, status, desired) => {
  expect(transition({ status, desired }, { type })).toEqual({ refused: 'unresolved' });
});
