import type { StartedValueAnswer } from '../../api/generated/console-api';
import { changedValues, initialTexts, missingSecrets, offeredValues } from './changed-values';

const values: StartedValueAnswer[] = [
  { name: 'total', type: 'Moeda', value: 1234.5 },
  { name: 'count', type: 'Número', value: 0.125 },
  { name: 'paid', type: 'Verdadeiro/Falso', value: false },
  { name: 'items', type: 'Lista', value: ['a'] },
  { name: 'note', type: 'Texto', value: '<b>1</b>' },
  { name: 'password', type: 'Secreto', value: null, secret: true },
  { name: 'token', type: 'Secreto', value: null },
];

test('the form of a repeated run begins with the values as the run form takes them, and with an empty text for a Secreto', () => {
  expect(initialTexts(values)).toEqual({
    total: '1.234,50',
    count: '0,125',
    paid: 'false',
    items: '[\n  "a"\n]',
    note: '<b>1</b>',
    password: '',
    token: '',
  });
});

test('a repeated run sends only the values that the user changed', () => {
  const initial = initialTexts(values);
  expect(changedValues({ ...initial, total: '10,50', password: 'x' }, initial)).toEqual({
    total: '10,50',
    password: 'x',
  });
});

test('a Secreto that had a value in the first run must be typed again', () => {
  expect(missingSecrets(values, { password: '' })).toEqual(['password']);
  expect(missingSecrets(values, { password: 'x' })).toEqual([]);
});

test('the form of a repeated run offers no value of a removed variable, and is complete without it', () => {
  const removed: StartedValueAnswer = { name: 'pin', type: 'Secreto', value: null, secret: true, removed: true };
  const offered = offeredValues([removed, ...values]);
  expect(offered).toEqual(values);
  expect(missingSecrets(offered, { password: 'x' })).toEqual([]);
});
