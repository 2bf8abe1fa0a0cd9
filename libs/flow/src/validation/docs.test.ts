import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeStepType, stepTypeNames } from '../definition/step-types';
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

test('every example of a step in docs/flow.md has no problems in a flow that gives the variables it reads', () => {
  const page = readFileSync(FLOW_DOCS_PATH, 'utf8');
  const examples = [...page.matchAll(/```json\n(.*?)```/gs)].map(([, json = '']): unknown => JSON.parse(json));
  const steps = examples.filter(isStep);
  expect(steps.length).toBeGreaterThan(5);
  const matrix = ['order', 'freight', 'customer', 'minimum'].map((name) => ({ name, type: 'Objeto' }));
  const rows = ['goods', 'total'].map((name) => ({ name, mode: 'Fixo', value: '10', type: 'Moeda' }));
  for (const step of steps) {
    const given = { name: 'given', type: 'variables', rows, routes: [{ to: 'get' }] };
    const file = { name: 'get', type: 'rest', method: 'GET', url: 'https://erp.example/', as: 'invoice' };
    const targets = [...(step.routes ?? []), ...(step.onError ?? [])].map(({ to }) => ({
      name: to,
      type: 'variables',
    }));
    const flow = { start: 'given', steps: [given, { ...file, routes: [{ to: step.name }] }, step, ...targets] };
    expect([step.name, validateFlow(flow, { matrix })]).toMatchObject([step.name, { problems: [], warnings: [] }]);
  }
});

interface ExampleStep {
  name: string;
  routes?: { to: string }[];
  onError?: { to: string }[];
}

function isStep(example: unknown): example is ExampleStep {
  return typeof example === 'object' && example !== null && 'type' in example;
}
