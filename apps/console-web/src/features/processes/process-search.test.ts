import type { ProcessSummary } from '../../api/generated/console-api';
import { matchesFilter } from './process-search';

const process: ProcessSummary = {
  processID: 'p',
  processName: 'Emissão de Notas',
  environmentID: null,
  active: true,
  paused: false,
  currentVersion: 2,
  owned: true,
};

test.each(['', 'notas', 'EMISSAO', 'notas emissão'])('a process is found by words of its name: "%s"', (q) => {
  expect(matchesFilter(process, { q })).toBe(true);
});

test('a process is found by its state', () => {
  expect([
    matchesFilter(process, { state: 'active' }),
    matchesFilter({ ...process, active: false }, { state: 'active' }),
  ]).toEqual([true, false]);
  expect(matchesFilter({ ...process, currentVersion: 0, paused: true }, { state: 'unpublished' })).toBe(true);
});

test('a process without one of the words is not found', () => {
  expect(matchesFilter(process, { q: 'notas fiscais' })).toBe(false);
});
