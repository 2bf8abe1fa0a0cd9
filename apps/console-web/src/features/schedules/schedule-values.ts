import type { VariableAnswer } from '../../api/generated/console-api';
import { readDefault } from '../processes/matrix/matrix-draft';
import { matrixOf, type TypedValues } from '../processes/run/run-values';
import { formattedValue } from '../processes/shown-value';

type Values = Readonly<Record<string, unknown>>;

/** The values of a schedule as they are typed. A schedule holds no Secreto. */
export function typedOf(variables: readonly VariableAnswer[], values: Values): TypedValues {
  return Object.fromEntries(
    variables.flatMap(({ name, type }) => {
      if (type === 'Secreto' || !Object.hasOwn(values, name)) return [];
      const value = values[name];
      return [[name, typeof value === 'string' ? value : formattedValue(type, value)]];
    }),
  );
}

/**
 * The values to store. An untouched text leaves the stored value as it is; the value of a removed variable is dropped.
 */
export function valuesToStore(variables: readonly VariableAnswer[], typed: TypedValues, stored: Values): Values {
  const plain = variables.filter(({ type }) => type !== 'Secreto');
  const before = typedOf(plain, stored);
  const kept = plain.filter(({ name }) => Object.hasOwn(before, name) && (typed[name] ?? '') === before[name]);
  return { ...matrixOf(plain, typed), ...Object.fromEntries(kept.map(({ name }) => [name, stored[name]])) };
}

/** The value to which a run converts the text; undefined when the text does not fit the type, or when the value equals the text. */
export function convertedOf({ type }: VariableAnswer, text: string): { value: unknown } | undefined {
  if (text === '' || type === 'Secreto' || type === 'Texto' || type === 'Verdadeiro/Falso') return undefined;
  return readDefault(type, text);
}

/** Whether the text cannot be converted to the variable's type; the API may refuse more. */
export function isMisfit(variable: VariableAnswer, text: string): boolean {
  return text !== '' && variable.type !== 'Secreto' && readDefault(variable.type, text) === undefined;
}
