import { Abilities } from '@batuta/agent-protocol';
import { Dispatcher } from './dispatcher';

const GROUP = { key: 'office script', environmentID: 'office' };
const ROOM = { agentCapacity: 1, environmentCapacity: 1, held: 0, bufferedBytes: 0, claimLimit: 1 };

/** A dispatcher with one session, whose claim waits until `reply` is called. */
function createDispatcherWithSession() {
  const replied = Promise.withResolvers<{ work: [] }>();
  const session = {
    id: 'session',
    group: GROUP,
    abilities: Abilities.announced(['script']),
    hello: {},
    isClaiming: false,
    onClaimEnd: () => {},
    toClaimCandidate: () => ({ sessionID: 'session', ...ROOM, isClaiming: session.isClaiming }),
  };
  const sessions = [session];
  const stub = (members: object) => Object.assign(Object.create(null), members);
  const dispatcher = new Dispatcher(
    stub({ rpc: { call: () => replied.promise } }),
    stub({ groupsIn: () => [GROUP], inGroup: () => sessions, get: () => session }),
    stub({ onRoomFreed: () => {} }),
    stub({}),
    stub({ POLL_MS: 1 }),
  );
  return { dispatcher, endSession: () => sessions.pop(), reply: () => replied.resolve({ work: [] }) };
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
