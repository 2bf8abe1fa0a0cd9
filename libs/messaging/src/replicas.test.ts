import { REPLICA_NOTICE_MS } from '@batuta/contracts';
import { Replicas } from './replicas';

const TENANTS = Array.from({ length: 60 }, (_, number) => `company-${number}`);

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

function replicasOf(...names: string[]): Replicas {
  const replicas = new Replicas();
  for (const replica of names) replicas.announce({ replica });
  return replicas;
}

const choices = (replicas: Replicas) => TENANTS.map((tenant) => replicas.of(tenant));

test('every sender chooses the same replica for a tenant, in whatever order the replicas have announced themselves', () => {
  expect(choices(replicasOf('a', 'b', 'c'))).toEqual(choices(replicasOf('c', 'a', 'b')));
});

test('every replica is chosen for some of many tenants', () => {
  expect(new Set(choices(replicasOf('a', 'b', 'c')))).toEqual(new Set(['a', 'b', 'c']));
});

test('a tenant has no replica before one has announced itself', () => {
  expect(replicasOf().of('company')).toBeUndefined();
});

test('only the tenants of a forgotten replica move to others, and return once it announces itself again', () => {
  const replicas = replicasOf('a', 'b', 'c');
  const before = choices(replicas);
  replicas.forget('a');
  const meanwhile = choices(replicas);
  expect(meanwhile).not.toContain('a');
  expect(meanwhile.filter((_, index) => before[index] !== 'a')).toEqual(before.filter((chosen) => chosen !== 'a'));
  replicas.announce({ replica: 'a' });
  expect(choices(replicas)).toEqual(before);
});

test('a replica that no longer announces itself is gone after a few intervals, and not after one lost notification', () => {
  const replicas = replicasOf('a', 'b', 'c');
  const announceOthers = () => ['b', 'c'].forEach((replica) => replicas.announce({ replica }));
  jest.advanceTimersByTime(2 * REPLICA_NOTICE_MS);
  announceOthers();
  expect(choices(replicas)).toContain('a');
  jest.advanceTimersByTime(2 * REPLICA_NOTICE_MS);
  announceOthers();
  expect(choices(replicas)).not.toContain('a');
});

test('a replica that no longer announces itself is gone also when no other one announces itself', () => {
  const replicas = replicasOf('a');
  expect(new Set(choices(replicas))).toEqual(new Set(['a']));
  jest.advanceTimersByTime(4 * REPLICA_NOTICE_MS);
  expect(new Set(choices(replicas))).toEqual(new Set([undefined]));
  replicas.announce({ replica: 'a' });
  expect(new Set(choices(replicas))).toEqual(new Set(['a']));
});

test('a tenant whose replica could not carry out a request has no replica for five seconds, unlike other tenants', () => {
  const replicas = replicasOf('a', 'b');
  const chosen = replicas.of('company');
  replicas.avoid('company');
  expect(replicas.of('company')).toBeUndefined();
  expect(replicas.of('other company')).toBeDefined();
  jest.advanceTimersByTime(5_001);
  ['a', 'b'].forEach((replica) => replicas.announce({ replica }));
  expect(replicas.of('company')).toBe(chosen);
});

test('a tenant whose replica did not reply has another one for five seconds, and other tenants keep theirs', () => {
  const replicas = replicasOf('a', 'b', 'c');
  const before = choices(replicas);
  const [tenant = '', silent = ''] = [TENANTS[0], before[0]];
  replicas.avoid(tenant, silent);
  expect(replicas.of(tenant)).not.toBe(silent);
  expect(replicas.of(tenant)).toBeDefined();
  expect(choices(replicas).slice(1)).toEqual(before.slice(1));
  jest.advanceTimersByTime(5_001);
  ['a', 'b', 'c'].forEach((replica) => replicas.announce({ replica }));
  expect(choices(replicas)).toEqual(before);
});

test('a tenant whose only replica did not reply has none for five seconds', () => {
  const replicas = replicasOf('a');
  replicas.avoid('company', 'a');
  expect(replicas.of('company')).toBeUndefined();
});
