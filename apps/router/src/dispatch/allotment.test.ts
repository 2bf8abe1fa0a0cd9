import { MAX_BUFFERED_BYTES, MAX_CLAIM, nextAllotment, nextAtOnce, roomOf, type Taker } from './allotment';

const taker = (over: Partial<Taker> = {}): Taker => ({
  sessionID: 'a',
  agentCapacity: 4,
  environmentCapacity: 10,
  held: 0,
  claiming: false,
  draining: false,
  resting: false,
  buffered: 0,
  atOnce: MAX_CLAIM,
  ...over,
});

test.each<[string, Partial<Taker>, number]>([
  ['an idle session', {}, 4],
  ['the environment allows less than the agent can', { environmentCapacity: 3 }, 3],
  ['some of it is taken', { held: 3 }, 1],
  ['all of it is taken', { held: 4 }, 0],
  ['the capacity was lowered below what is held', { environmentCapacity: 1, held: 3 }, 0],
  ['a claim is under way', { claiming: true }, 0],
  ['the agent is about to leave', { draining: true }, 0],
  ['it rejected work a moment ago', { resting: true }, 0],
  ['its buffer is at the bound', { buffered: MAX_BUFFERED_BYTES }, 4],
  ['its buffer is above the bound', { buffered: MAX_BUFFERED_BYTES + 1 }, 0],
])('room when %s', (_name, over, room) => expect(roomOf(taker(over))).toBe(room));

test.each<[string, Partial<Taker>[], string | undefined]>([
  ['nobody', [], undefined],
  ['nobody with room', [{ held: 4 }, { draining: true }], undefined],
  ['one session takes all of its room', [{ sessionID: 'a' }], 'a 4'],
  ['the one with more room goes first', [{ held: 2 }, { sessionID: 'b' }], 'b 2'],
  ['equal ones share', [{ sessionID: 'a' }, { sessionID: 'b' }], 'a 2'],
  ['a full one takes no share', [{ sessionID: 'a', held: 4 }, { sessionID: 'b' }], 'b 4'],
  ['one asks for less after a claim that failed', [{ atOnce: 1 }], 'a 1'],
  ['one claim is bounded', [{ agentCapacity: 500, environmentCapacity: 500 }], 'a 50'],
])('%s', (_name, takers, expected) => {
  const next = nextAllotment(takers.map((over) => taker(over)));
  expect(next && `${next.sessionID} ${next.limit}`).toBe(expected);
});

test('a claim that failed makes the next one small, and answers let it grow again', () => {
  expect([nextAtOnce(50, false), nextAtOnce(1, true), nextAtOnce(32, true)]).toEqual([1, 2, 50]);
});
