import type { ProcessSummary } from '../../api/generated/console-api';
import { matches } from './process-search';

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
  expect(matches(process, { q })).toBe(true);
});

test('a process is found by its state', () => {
  expect([matches(process, { state: 'active' }), matches({ ...process, active: false }, { state: 'active' })]).toEqual([
    true,
    false,
  ]);
  expect(matches({ ...process, currentVersion: 0, paused: true }, { state: 'unpublished' })).toBe(true);
});

test('a process without one of the words is not found', () => {
  expect(matches(process, { q: 'notas fiscais' })).toBe(false);
});
