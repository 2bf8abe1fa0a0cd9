import type { VariableAnswer } from '../../api/generated/console-api';
import { convertedValueOf, isMisfit, typedTextsOf, valuesToStore } from './schedule-values';

const variable = (name: string, type: VariableAnswer['type']): VariableAnswer => ({
  id: name,
  name,
  type,
  default: null,
});
const VARIABLES = [
  variable('total', 'Moeda'),
  variable('paid', 'Verdadeiro/Falso'),
  variable('items', 'Lista'),
  variable('pin', 'Secreto'),
];
const STORED = { total: 10.5, paid: true, items: ['a'], pin: '1234', gone: 1 };

test('the values of a schedule are shown as people write them, without Secretos and without removed variables', () => {
  expect(typedTextsOf(VARIABLES, STORED)).toEqual({ total: '10,50', paid: 'true', items: '["a"]' });
});

test.each([
  ['sim', 'true'],
  [1, 'true'],
  ['Não', 'false'],
  ['', 'false'],
  [null, ''],
  ['maybe', 'maybe'],
])(
  'the choice of a Verdadeiro/Falso with the stored value %j is "%s", and the value stays as it was sent',
  (paid, text) => {
    const typed = typedTextsOf(VARIABLES, { paid });
    expect(typed).toEqual({ paid: text });
    expect(valuesToStore(VARIABLES, typed, { paid })).toEqual({ paid });
  },
);

test('untouched values of a schedule stay exactly as they were, and others are sent as they were typed', () => {
  const typed = { ...typedTextsOf(VARIABLES, STORED), total: 'R$ 1,00' };
  expect(valuesToStore(VARIABLES, typed, STORED)).toEqual({ total: 'R$ 1,00', paid: true, items: ['a'] });
  expect(valuesToStore(VARIABLES, { total: '', paid: 'false', pin: '99' }, STORED)).toEqual({ paid: false });
});

test('a typed text of a schedule has a converted value, or does not fit the type', () => {
  const [total = variable('', 'Moeda')] = VARIABLES;
  expect(convertedValueOf(total, 'R$ 1.234,56')).toEqual({ value: 1234.56 });
  expect([isMisfit(total, '1,2,3'), isMisfit(total, '')]).toEqual([true, false]);
  expect(convertedValueOf(total, '1,2,3')).toBeUndefined();
});
