import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeStepType, stepTypeNames } from '../definition/step-types';
import { readShape } from './read-shape';
import { validateFlow } from './validate-flow';

const FLOW_DOCS_PATH = join(__dirname, '../../../../docs/flow.md');

test('docs/flow.md says of every step type what runs it and what it gives', () => {
  const page = readFileSync(FLOW_DOCS_PATH, 'utf8').replaceAll(/ +/g, ' ');
  const missing = stepTypeNames().filter((type) => !page.includes(`| \`${type}\` | ${describeStepType(type)} |`));
  expect(missing).toEqual([]);
});

test('the example in docs/flow.md has no problems', () => {
  const page = readFileSync(FLOW_DOCS_PATH, 'utf8');
  const example = /```json\n(.*?)```/s.exec(page)?.[1] ?? '';
  const matrix = [
    { name: 'order', type: 'Objeto' },
    { name: 'freight', type: 'Moeda' },
  ];
  expect(validateFlow(JSON.parse(example), { matrix })).toMatchObject({ problems: [] });
});

test('every example of a step in docs/flow.md has the shape of its type', () => {
  const page = readFileSync(FLOW_DOCS_PATH, 'utf8');
  const examples = [...page.matchAll(/```json\n(.*?)```/gs)].map(([, json = '']): unknown => JSON.parse(json));
  const steps = examples.filter((example) => typeof example === 'object' && example !== null && 'type' in example);
  expect(steps.length).toBeGreaterThan(3);
  for (const step of steps) expect(readShape({ start: 'any', steps: [step] })).not.toHaveProperty('problems');
});
