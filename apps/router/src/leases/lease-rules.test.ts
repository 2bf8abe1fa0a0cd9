import { leaseCondition, leaseTimes } from './lease-rules';

const LEASE_TIMES = leaseTimes(20);

test('a lease of 20 seconds has a grace period of 10 and is renewed every 4', () => {
  expect(LEASE_TIMES).toMatchObject({
    leaseMs: 20_000,
    graceMs: 10_000,
    renewIntervalMs: 4_000,
    renewalTrustedMs: 8_000,
  });
});

test.each([
  { now: 7_999, renewedAt: 0, lastFrameAt: 7_000, condition: 'sound' },
  { now: 8_000, renewedAt: 0, lastFrameAt: 8_000, condition: 'lapsing' },
  { now: 10_000, renewedAt: 9_000, lastFrameAt: 1, condition: 'sound' },
  { now: 10_000, renewedAt: 9_000, lastFrameAt: 0, condition: 'silent' },
  { now: 30_000, renewedAt: 0, lastFrameAt: 0, condition: 'lapsing' },
])(
  '$now ms, renewed at $renewedAt, last frame at $lastFrameAt: the session is $condition',
  ({ now, condition, ...session }) => {
    expect(leaseCondition(now, session, LEASE_TIMES)).toBe(condition);
  },
);

test.each([1.5, 4, 20, 60])(
  'with a lease of %d s the instances of an agent are suspended before the lease expires',
  (s) => {
    const { renewalTrustedMs, graceMs, leaseMs, renewIntervalMs } = leaseTimes(s);
    expect(renewalTrustedMs + graceMs).toBeLessThan(leaseMs);
    expect(renewIntervalMs * 1.1).toBeLessThan(renewalTrustedMs / 1.5);
  },
);

test.each([2, 10, 20, 60])(
  'with a lease of %d s an outage that is not noticed leaves an agent time to resume after it',
  (seconds) => {
    const { leaseMs, renewIntervalMs, healthMs, observeIntervalMs } = leaseTimes(seconds);
    const leftAtItsBegin = leaseMs - 1.1 * renewIntervalMs;
    expect(leftAtItsBegin - healthMs).toBeGreaterThan(leaseMs / 4);
    expect(observeIntervalMs * 1.1).toBeLessThan(healthMs / 3);
  },
);
