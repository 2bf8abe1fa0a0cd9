import type { InstanceBody } from '@batuta/contracts';
import { KnownPosition } from './known-position';

const FIELDS = { instanceID: 'i', processID: 'p', processName: 'P', userName: 'u', startedAt: 1 };
const queued = (position: number): InstanceBody => ({
  ...FIELDS,
  status: 'queued',
  queue: { position, reason: 'AGENT_BUSY' },
});

test('a position is known for thirty seconds after it was counted, and until the instance leaves the queue', () => {
  let now = 0;
  const position = new KnownPosition(() => now);
  expect(position.current()).toBeUndefined();
  position.note(queued(5));
  now = 29_000;
  expect(position.current()).toBe(5);
  position.note(queued(5));
  now = 30_000;
  expect(position.current()).toBeUndefined();
  position.note(queued(4));
  expect(position.current()).toBe(4);
  position.note({ ...FIELDS, status: 'running' });
  expect(position.current()).toBeUndefined();
});
