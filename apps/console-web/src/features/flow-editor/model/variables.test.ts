import { isSystemVariable, STEP_TYPES, stepTypeNames, automaticVariablesOf } from '@batuta/flow';
import type { DraftFlow } from '../../../flow/draft';
import { OFFERED_SYSTEM_VARIABLES, variablesAt } from './variables';

const variableSources = {
  matrix: [{ name: 'total', type: 'Moeda' }],
  vaultKeys: ['TOKEN'],
  automatic: new Map(stepTypeNames().map((type) => [type, automaticVariablesOf(type)])),
};
const flow: DraftFlow = {
  start: 'sums',
  steps: [
    {
      name: 'sums',
      type: 'variables',
      rows: [{ name: 'goods', type: 'Moeda' }, { name: 'all' }, { name: 'matrix.total', assign: true }],
      routes: [{ when: '', to: 'call' }, { to: 'end' }],
    },
    {
      name: 'call',
      type: 'rest',
      as: 'reply',
      routes: [{ to: 'end' }],
      onError: [{ to: 'end' }],
      mapping: { id: {} },
    },
    { name: 'end', type: 'database', as: 'rows' },
    {
      name: 'after',
      type: 'browser',
      as: 'page',
      actions: [{ action: 'readText', into: 'number' }],
    },
  ],
};
const namesAt = (step: string, field: string) =>
  variablesAt(flow, step, field, variableSources).map(({ name }) => name);

test('completion offers a row the Matrix and the rows above it, and no secret', () => {
  expect(namesAt('sums', '/rows/0/value').filter((name) => !OFFERED_SYSTEM_VARIABLES.includes(name))).toEqual([
    'matrix.total',
  ]);
  expect(namesAt('sums', '/rows/1/value')).toContain('goods');
  expect(namesAt('sums', '/rows/1/value')).not.toContain('all');
  expect(namesAt('sums', '/rows/0/value')).not.toContain('vault.TOKEN');
});

test('completion offers an action the rows of its step and of the steps before, secrets and the fields of its mapping', () => {
  const names = namesAt('call', '/url');
  expect(names).toEqual(expect.arrayContaining(['goods', 'all', 'vault.TOKEN', '{id}']));
  expect(names).not.toContain('reply');
});

test('completion offers routes and validation the result of their step', () => {
  expect(namesAt('call', '/routes/0/when')).toEqual(expect.arrayContaining(['reply', 'reply.status', 'reply.FILE']));
  expect(namesAt('end', '/validation')).toEqual(expect.arrayContaining(['rows', 'connector.rowCount']));
  expect(namesAt('call', '/onError/0/when')).not.toContain('reply');
});

test('a variable of a step that an execution may skip is marked as uncertain', () => {
  const certainty = new Map(
    variablesAt(flow, 'end', '/sql', variableSources).map(({ name, isCertain }) => [name, isCertain]),
  );
  expect(certainty.get('goods')).toBe(true);
  expect(certainty.get('reply.status')).toBe(false);
});

test('completion offers no variables of steps that are on no path to the field', () => {
  expect(namesAt('end', '/sql')).not.toContain('page');
  expect(namesAt('after', '/routes/0/when')).toEqual(
    expect.arrayContaining(['page.number', 'page.evidence', 'currentUrl']),
  );
});

test('completion offers variables that describe an error only after an onError route', () => {
  expect(namesAt('call', '/onError/0/when')).toContain('errorDescription');
  expect(namesAt('end', '/sql')).toContain('error.evidence');
  expect(namesAt('call', '/url')).not.toContain('errorDescription');
});

test('all system variables that completion offers exist in the runtime', () => {
  expect(OFFERED_SYSTEM_VARIABLES.filter((name) => !isSystemVariable(name))).toEqual([]);
  expect(Object.keys(STEP_TYPES)).toContain('browser');
});
