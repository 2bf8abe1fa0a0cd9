import { durationSoFar } from './duration-so-far';

const startedAt = '2026-11-26T12:00:00.700Z';
const second = Date.parse('2026-11-26T12:01:05Z') / 1_000;

test.each([
  ['for whole seconds since its start', second, 65_000],
  ['for a second in its first one', Date.parse('2026-11-26T12:00:00Z') / 1_000, 1_000],
  ['for a second where the clock is behind', second - 600, 1_000],
])('a run in progress has taken time %s', (_, now, milliseconds) => {
  expect(durationSoFar({ status: 'running', startedAt }, now)).toBe(milliseconds);
});

test.each([
  ['queued', null],
  ['unknown', startedAt],
  ['success', startedAt],
] as const)('a run with the status %s has no time so far', (status, at) => {
  expect(durationSoFar({ status, startedAt: at }, second)).toBeUndefined();
});
