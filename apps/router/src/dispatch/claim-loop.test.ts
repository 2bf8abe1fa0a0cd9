import { Abilities } from '@batuta/agent-protocol';
import { ApiError } from '@batuta/errors';
import { createLogger } from '@batuta/observability';
import { Dispatcher } from './dispatcher';

const GROUP = { key: 'office script', environmentID: 'office' };
const ROOM = { agentCapacity: 1, environmentCapacity: 1, held: 0, bufferedBytes: 0, claimLimit: 1 };

/** A dispatcher with one session, whose claims wait until `reply` or `fail` is called. */
function createDispatcherWithSession() {
  const replied = Promise.withResolvers<{ work: [] }>();
  const lines: unknown[] = [];
  const call = jest.fn(() => replied.promise);
  const session = {
    id: 'session',
    group: GROUP,
    environmentID: GROUP.environmentID,
    abilities: Abilities.announced(['script']),
    hello: {},
    isClaiming: false,
    onClaimEnd: () => void (session.isClaiming = false),
    toClaimCandidate: () => ({ sessionID: 'session', ...ROOM, isClaiming: session.isClaiming }),
  };
  const sessions = [session];
  const stub = (members: object) => Object.assign(Object.create(null), members);
  const dispatcher = new Dispatcher(
    stub({
      rpc: { call },
      metrics: { retries: { inc: () => {} } },
      logger: createLogger('router', 'warn', { write: (line) => void lines.push(JSON.parse(line)) }),
    }),
    stub({ groupsIn: () => [GROUP], inGroup: () => sessions, get: () => session }),
    stub({ onRoomFreed: () => {} }),
    stub({}),
    stub({ POLL_MS: 1 }),
  );
  return {
    dispatcher,
    call,
    lines,
    endSession: () => sessions.pop(),
    reply: () => replied.resolve({ work: [] }),
    fail: () => replied.reject(new ApiError('UNAVAILABLE')),
  };
}

test('a dispatcher keeps nothing of a group whose last session ended after a notification', async () => {
  const { dispatcher, endSession, reply } = createDispatcherWithSession();
  dispatcher.onWork(GROUP.environmentID);
  dispatcher.onWork(GROUP.environmentID);
  endSession();
  reply();
  await dispatcher.stop();
  const kept = Object.values(dispatcher).flatMap((member) =>
    member instanceof Map || member instanceof Set ? [...member.keys()] : [],
  );
  expect(kept).toEqual([]);
});

test('claims that fail one after the other are one line of the log, which names the session and its environment', async () => {
  const { dispatcher, call, lines, fail } = createDispatcherWithSession();
  dispatcher.onWork(GROUP.environmentID);
  fail();
  // The loop of the first claim ends.
  await new Promise(setImmediate);
  dispatcher.onWork(GROUP.environmentID);
  await dispatcher.stop();
  expect(call).toHaveBeenCalledTimes(2);
  expect(lines).toMatchObject([
    { sessionID: 'session', environmentID: 'office', failures: 1, err: { code: 'UNAVAILABLE' } },
  ]);
});
