import { heldMove, type HeldEvent, type HeldState } from './held';

const STATES: HeldState[] = ['offered', 'granting', 'granted'];
const EVENTS: HeldEvent[] = [
  'accepted',
  'rejected',
  'unanswered',
  'granted',
  'refused',
  'ended',
  'disowned',
  'sessionEnded',
];

/** Every state with every event; what is not listed here changes nothing. */
const EXPECTED: Record<string, string> = {
  'offered accepted': 'granting: askGrant',
  'offered rejected': 'gone: release rest',
  'offered unanswered': 'gone: sendRevoke release rest',
  'offered sessionEnded': 'gone: release',
  'granting granted': 'granted: sendGrant',
  'granting refused': 'gone: sendRevoke',
  'granting sessionEnded': 'gone: release',
  'granted ended': 'gone: ',
  'granted disowned': 'gone: ',
  'granted sessionEnded': 'gone: ',
};

test.each(STATES.flatMap((state) => EVENTS.map((event) => [state, event] as const)))('%s, %s', (state, event) => {
  const move = heldMove(state, event);
  expect(move && `${move.to}: ${move.acts.join(' ')}`).toBe(EXPECTED[`${state} ${event}`]);
});

test('a grant goes out only after execution granted, and what was granted is never released', () => {
  const moves = STATES.flatMap((state) => EVENTS.map((event) => ({ state, event, move: heldMove(state, event) })));
  const granting = moves.filter(({ move }) => move?.acts.includes('sendGrant'));
  expect(granting.map(({ state, event }) => `${state} ${event}`)).toEqual(['granting granted']);
  expect(moves.filter(({ state, move }) => state === 'granted' && move?.acts.includes('release'))).toEqual([]);
});
