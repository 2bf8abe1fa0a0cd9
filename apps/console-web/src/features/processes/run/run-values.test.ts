import { CallError } from '../../../api/error';
import type { VariableAnswer } from '../../../api/generated/console-api';
import { matrixOf, refusedByName, textOfVariable, withoutSecrets } from './run-values';

const variable = (name: string, type: VariableAnswer['type']): VariableAnswer => ({
  id: name,
  name,
  type,
  default: null,
});

const VARIABLES = [variable('total', 'Moeda'), variable('paid', 'Verdadeiro/Falso'), variable('pin', 'Secreto')];

test('a manual run sends texts as they were typed, and omits empty fields, which get their defaults', () => {
  const typed = { total: ' R$ 1.234,56', paid: 'false', pin: '' };
  expect(matrixOf(VARIABLES, typed)).toEqual({ total: ' R$ 1.234,56', paid: false });
});

test('a variable that is named like a property of every object takes its default unless a text was typed', () => {
  const variables = [variable('constructor', 'Texto'), variable('valueOf', 'Verdadeiro/Falso')];
  expect(matrixOf(variables, {})).toEqual({});
  expect(matrixOf(variables, { valueOf: 'true' })).toEqual({ valueOf: true });
  expect(textOfVariable({}, 'constructor')).toBeUndefined();
});

test('a value of a variable that was removed meanwhile is not sent', () => {
  expect(matrixOf(VARIABLES, { gone: '1' })).toEqual({});
});

test('after a run only the Secretos have to be typed again', () => {
  expect(withoutSecrets(VARIABLES, { total: '1', pin: '1234' })).toEqual({ total: '1' });
});

test('refusals of a dry run and of a start are found by the variable that they name', () => {
  const error = new CallError(400, 'INVALID_MATRIX', 'paid: "maybe" is neither true nor false');
  expect(refusedByName([{ name: 'total', message: 'total: "x" is not an amount of money' }], error)).toEqual({
    total: '"x" is not an amount of money',
    paid: '"maybe" is neither true nor false',
  });
});
