import { ApiError } from '@batuta/errors';
import * as fc from 'fast-check';
import { MATRIX_TYPES, convertValue, type MatrixType, type MatrixValue, type ValueSource } from '.';

const anyType = fc.constantFrom(...MATRIX_TYPES);
const anySource = fc.constantFrom<ValueSource[]>('body', 'node', 'assign');
/** JSON values; many are text that looks like a number, a list or an object. */
const anyValue = fc.oneof(
  fc.jsonValue(),
  fc.stringMatching(/^[-R$ ]{0,3}[\d.,]{0,12}[ €%-]{0,2}$/),
  fc.string({ unit: 'binary' }),
  fc.json(),
);

function attemptConversion(
  type: MatrixType,
  value: unknown,
  source: ValueSource,
): { value: MatrixValue } | { error: unknown } {
  try {
    return { value: convertValue(type, value, 'total', source) };
  } catch (error) {
    return { error };
  }
}

function isRefusal(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.code !== 'INVALID_MATRIX') return false;
  return error.message.startsWith('total: ') && error.message.length < 200;
}

function survivesJson(value: MatrixValue): boolean {
  const json = JSON.stringify(value);
  return JSON.stringify(JSON.parse(json)) === json;
}

test('any JSON value converts to a value that JSON preserves, or is refused with INVALID_MATRIX', () => {
  fc.assert(
    fc.property(anyType, anyValue, anySource, (type, value, source) => {
      const outcome = attemptConversion(type, value, source);
      expect('value' in outcome ? survivesJson(outcome.value) : isRefusal(outcome.error)).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

test('converting a converted value changes nothing', () => {
  fc.assert(
    fc.property(anyType, anyValue, anySource, (type, value, source) => {
      const once = attemptConversion(type, value, source);
      fc.pre('value' in once);
      expect(attemptConversion(type, 'value' in once ? once.value : null, source)).toStrictEqual(once);
    }),
    { numRuns: 1000 },
  );
});

test('conversion does not change the sent value', () => {
  fc.assert(
    fc.property(anyType, fc.jsonValue(), anySource, (type, value, source) => {
      const before = JSON.stringify(value);
      attemptConversion(type, value, source);
      expect(JSON.stringify(value)).toBe(before);
    }),
  );
});
