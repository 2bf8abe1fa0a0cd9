import { createLogger } from '@batuta/logging';
import { NO_PROXIES } from '@batuta/network';
import { waitUntil } from '../../../../test/support/wait-until';
import { FakeRouter, GRACE_SECONDS, type FakeSession } from '../../test/fake-router';
import { RouterLink, type LinkEvents } from './router-link';

const GRACE_MS = GRACE_SECONDS * 1_000;
const RECONNECT = { backoff: { first: 10, longest: 20 }, refusedMs: 30 };

let router: FakeRouter;
let link: RouterLink;
let passedMs: number;
const logger = createLogger('agent', 'silent');
const events = {
  makeHello: () => ({ type: 'hello', protocol: 1, agent: 'a', runtimeVersion: '1', capacity: 1 }),
  onWelcome: jest.fn(),
  onFrame: jest.fn(),
  onWritable: jest.fn(),
  onDisconnect: jest.fn(),
  hasInstances: () => true,
  onGraceExpired: jest.fn(),
} satisfies LinkEvents;

beforeEach(async () => {
  passedMs = 0;
  // The clock stands still, so that a slow machine ends no grace period by itself. It has whole milliseconds, whose sums and differences are exact.
  const now = Math.ceil(performance.now());
  jest.spyOn(performance, 'now').mockImplementation(() => now + passedMs);
  router = await FakeRouter.create();
  link = new RouterLink(
    { url: router.url, key: 'k', proxies: NO_PROXIES, reconnect: RECONNECT, random: Math.random },
    events,
    logger,
  );
  link.connect();
});
afterEach(async () => {
  await router.close();
  await link.close();
  jest.restoreAllMocks();
  jest.clearAllMocks();
});

/** The next connection, after its hello. */
async function nextSession(): Promise<FakeSession> {
  const session = await router.nextSession();
  await session.next('hello');
  return session;
}

async function welcomedSession(): Promise<FakeSession> {
  const session = await nextSession();
  session.welcome();
  await link.ready;
  return session;
}

test('errors before the welcome do not prolong the grace period', async () => {
  (await welcomedSession()).socket.terminate();
  const error = jest.spyOn(logger, 'error');
  const second = await nextSession();
  passedMs += 0.6 * GRACE_MS;
  second.send({ type: 'error', code: 'UNAVAILABLE', message: 'try again' });
  await waitUntil('the error is read', () => error.mock.calls.length > 0);
  expect(events.onGraceExpired).not.toHaveBeenCalled();
  passedMs += 0.6 * GRACE_MS;
  await waitUntil('the grace period is over', () => events.onGraceExpired.mock.calls.length > 0);
});

test('a welcome that is read a grace period after its hello opens no session', async () => {
  const first = await nextSession();
  passedMs += GRACE_MS;
  first.welcome();
  (await nextSession()).welcome();
  await link.ready;
  expect(events.onWelcome).toHaveBeenCalledTimes(1);
});

test('a frame that is read after the grace period has no effect', async () => {
  const session = await welcomedSession();
  passedMs += GRACE_MS;
  session.send({ type: 'grant', instanceID: 'i-1', fence: 1, desired: 'run' });
  await nextSession();
  expect(events.onGraceExpired).toHaveBeenCalledTimes(1);
  expect(events.onFrame).not.toHaveBeenCalled();
});

test('an agent that holds instances gives up an attempt that hangs before an agent without instances does', async () => {
  const session = await welcomedSession();
  const other = await FakeRouter.create();
  const attempts = { holding: 0, idle: 0 };
  router.onUnanswered = () => (attempts.holding += 1);
  other.onUnanswered = () => (attempts.idle += 1);
  const idle = new RouterLink(
    { url: other.url, key: 'k', proxies: NO_PROXIES, reconnect: RECONNECT, random: Math.random },
    { ...events, hasInstances: () => false },
    logger,
  );
  idle.connect();
  await waitUntil('the attempt of the agent without instances', () => attempts.idle > 0);
  session.socket.terminate();
  await waitUntil('the second attempt of the agent with instances', () => attempts.holding > 1);
  expect(attempts.idle).toBe(1);
  await Promise.all([idle.close(), link.close()]);
  await other.close();
});
