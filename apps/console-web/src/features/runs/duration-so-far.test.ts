import { durationSoFar } from './duration-so-far';

const startedAt = '2026-11-26T12:00:00.700Z';
const second = Date.parse('2026-11-26T12:01:05Z') / 1_000;

test.each([
  ['the whole seconds since its start', second, 65_000],
  ['one second during its first second', Date.parse('2026-11-26T12:00:00Z') / 1_000, 1_000],
  ['one second where the clock of this machine is behind', second - 600, 1_000],
])('the duration so far of a running run is %s', (_, now, milliseconds) => {
  expect(durationSoFar({ status: 'running', startedAt }, now)).toBe(milliseconds);
});

test.each([
  ['queued', null],
  ['unknown', startedAt],
  ['success', startedAt],
] as const)('a run with the status %s has no duration so far', (status, at) => {
  expect(durationSoFar({ status, startedAt: at }, second)).toBeUndefined();
});
