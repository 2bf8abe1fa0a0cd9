import type { Flow } from './definition';
import { abilitiesOf, needsOf, readNeeds } from './needs';
import { STEP_TYPES } from './step-types';

const wait = (name: string): Flow['steps'][number] => ({ name, type: 'wait', seconds: 1 });
const flow: Flow = {
  start: 'a',
  steps: [
    wait('a'),
    { name: 'b', type: 'script', code: 'return 1' },
    wait('c'),
    { name: 'd', type: 'webhookResponse', body: '{}' },
  ],
};

test('a flow needs the abilities of its steps, each once, and gives them back in order', () => {
  expect(needsOf(flow)).toBe('script,wait');
  expect(readNeeds(needsOf(flow))).toEqual(['script', 'wait']);
  expect(readNeeds('')).toEqual([]);
});

test('a response step keeps its flow from no agent, and is one of the abilities that run the flow', () => {
  expect(abilitiesOf(flow)).toEqual(['script', 'wait', 'webhookResponse']);
});

test('the abilities of all step types together fit into their column', () => {
  const all = Object.values(STEP_TYPES).flatMap(({ ability }) => ability ?? []);
  expect(all.join(',').length).toBeLessThanOrEqual(255);
  expect(all.join('')).not.toContain(',');
});
