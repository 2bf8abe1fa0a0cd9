import { variablesOf } from '../../test/fake-variables';
import { SYSTEM_VARIABLES, isSystemVariable } from './system-variables';
import { resolveReference } from './resolve-reference';

const VARIABLES = variablesOf(
  { a: { b: { c: 1 } }, 'a.b': { c: 2 }, list: [{ x: 5 }], text: 'abc', 'matrix.total': 1, none: undefined },
  { 'matrix.total': 'Moeda' },
);

test.each<[string, unknown]>([
  ['a', { variable: 'a', value: { b: { c: 1 } } }],
  ['a.b', { variable: 'a.b', value: { c: 2 } }],
  ['a.b.c', { variable: 'a.b', value: 2 }],
  ['a.x.y', { variable: 'a', value: undefined }],
  ['list.0.x', { variable: 'list', value: 5 }],
  ['list.length', { variable: 'list', value: 1 }],
  ['list.9', { variable: 'list', value: undefined }],
  ['text.length', { variable: 'text', value: undefined }],
  ['a.constructor', { variable: 'a', value: undefined }],
  ['a.__proto__', { variable: 'a', value: undefined }],
  ['matrix.total', { variable: 'matrix.total', value: 1, type: 'Moeda' }],
  ['matrix.total.x', { variable: 'matrix.total', value: undefined }],
  ['none', { variable: 'none', value: undefined }],
  ['b', undefined],
  ['matrix', undefined],
])('%s resolves to %j', (name, resolved) => {
  expect(resolveReference(name, VARIABLES)).toEqual(resolved);
});

test('the system variables are the 20 of the contract', () => {
  expect(SYSTEM_VARIABLES).toHaveLength(20);
  expect(isSystemVariable('error.evidence_BUFFER')).toBe(true);
  expect(isSystemVariable('JS')).toBe(true);
  expect(isSystemVariable('processid')).toBe(false);
});
