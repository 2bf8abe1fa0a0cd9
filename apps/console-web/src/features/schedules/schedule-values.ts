import type { MatrixType } from '@batuta/matrix';
import type { VariableAnswer } from '../../api/generated/console-api';
import { readDefault } from '../processes/matrix/matrix-draft';
import { matrixOf, textOfVariable, type TypedValues } from '../processes/run/run-values';
import { formattedValue } from '../processes/shown-value';

type Values = Readonly<Record<string, unknown>>;

/** The texts of the form for the values of a schedule, by variable; a variable without a value has none. A schedule holds no Secreto. */
export function typedTextsOf(variables: readonly VariableAnswer[], values: Values): TypedValues {
  return Object.fromEntries(
    variables.flatMap(({ name, type }) => {
      if (type === 'Secreto' || !Object.hasOwn(values, name)) return [];
      return [[name, typedTextOf(type, values[name])]];
    }),
  );
}

/** A schedule keeps its values as they were sent; the choice of a Verdadeiro/Falso knows `sim` and 1 only as `true`. */
function typedTextOf(type: MatrixType, value: unknown): string {
  if (type === 'Verdadeiro/Falso' && (typeof value === 'string' || typeof value === 'number')) {
    const read = readDefault(type, String(value))?.value;
    if (typeof read === 'boolean') return String(read);
  }
  return typeof value === 'string' ? value : formattedValue(type, value);
}

/**
 * The values to store, from the texts of the form. An untouched text leaves the stored value as it is; an emptied one removes it, and the value of a
 * removed variable is dropped.
 */
export function valuesToStore(variables: readonly VariableAnswer[], typed: TypedValues, stored: Values): Values {
  const plain = variables.filter(({ type }) => type !== 'Secreto');
  const before = typedTextsOf(plain, stored);
  const kept = plain.filter(
    ({ name }) => Object.hasOwn(before, name) && (textOfVariable(typed, name) ?? '') === before[name],
  );
  return { ...matrixOf(plain, typed), ...Object.fromEntries(kept.map(({ name }) => [name, stored[name]])) };
}

/**
 * The value to which a run converts the text; undefined for an empty text, one that does not fit the type, and types for which the field
 * shows the value already.
 */
export function convertedValueOf({ type }: VariableAnswer, text: string): { value: unknown } | undefined {
  if (text === '' || type === 'Secreto' || type === 'Texto' || type === 'Verdadeiro/Falso') return undefined;
  return readDefault(type, text);
}

/** Whether a text cannot be converted to the variable's type; false for an empty one. The API may refuse more. */
export function isMisfit(variable: VariableAnswer, text: string): boolean {
  return text !== '' && variable.type !== 'Secreto' && readDefault(variable.type, text) === undefined;
}
