import { transitionOf, type TrackedEvent, type TrackedState } from './tracked-instance';

const TRACKED_STATES: TrackedState[] = ['offered', 'granting', 'granted'];
const TRACKED_EVENTS: TrackedEvent[] = [
  'accepted',
  'rejected',
  'unanswered',
  'granted',
  'refused',
  'ended',
  'reportRefused',
  'sessionEnded',
];

/** Every transition; a pair of state and event that is missing here has no effect. */
const EXPECTED_TRANSITIONS: Record<string, string> = {
  'offered accepted': 'granting: requestGrant',
  'offered rejected': 'removed: release backOff',
  'offered unanswered': 'removed: sendRevoke release backOff',
  'offered sessionEnded': 'removed: release',
  'granting granted': 'granted: sendGrant',
  'granting refused': 'removed: sendRevoke',
  'granting sessionEnded': 'removed: release',
  'granted ended': 'removed: ',
  'granted reportRefused': 'removed: ',
  'granted sessionEnded': 'removed: ',
};

test.each(TRACKED_STATES.flatMap((state) => TRACKED_EVENTS.map((event) => [state, event] as const)))(
  'the table has the expected transition from %s on the event %s',
  (state, event) => {
    const transition = transitionOf(state, event);
    expect(transition && `${transition.to}: ${transition.effects.join(' ')}`).toBe(
      EXPECTED_TRANSITIONS[`${state} ${event}`],
    );
  },
);

test('a grant is sent only after execution granted, and a granted instance is never released', () => {
  const all = TRACKED_STATES.flatMap((state) =>
    TRACKED_EVENTS.map((event) => ({ state, event, ...transitionOf(state, event) })),
  );
  const granting = all.filter(({ effects }) => effects?.includes('sendGrant'));
  expect(granting.map(({ state, event }) => `${state} ${event}`)).toEqual(['granting granted']);
  expect(all.filter(({ state, effects }) => state === 'granted' && effects?.includes('release'))).toEqual([]);
});
