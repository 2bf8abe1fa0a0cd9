import type { VariableAnswer } from '../../../api/generated/console-api';
import { CallError } from '../../../api/error';

/** The typed texts by name of the Matrix variable. A variable without a text, or with an empty one, takes its default. */
export type TypedValues = Readonly<Record<string, string>>;

/** The typed texts of a variable of the type Verdadeiro/Falso. */
export const TRUE_TEXT = 'true';
export const FALSE_TEXT = 'false';

/** The text of a variable. A variable may be named like a property of every object, such as `constructor`, which is none of its texts. */
export function textOfVariable(texts: TypedValues, name: string): string | undefined {
  return Object.hasOwn(texts, name) ? texts[name] : undefined;
}

/** The Matrix of a start: texts as they were typed, which the API converts by its own rules. Variables that take their default are left out. */
export function matrixOf(variables: readonly VariableAnswer[], typed: TypedValues): Record<string, unknown> {
  return Object.fromEntries(
    variables.flatMap(({ name, type }) => {
      const text = textOfVariable(typed, name) ?? '';
      if (text === '') return [];
      return [[name, type === 'Verdadeiro/Falso' ? text === TRUE_TEXT : text]];
    }),
  );
}

/** The typed values without those of Secretos. */
export function withoutSecrets(variables: readonly VariableAnswer[], typed: TypedValues): TypedValues {
  const secrets = new Set(variables.filter(({ type }) => type === 'Secreto').map(({ name }) => name));
  return Object.fromEntries(Object.entries(typed).filter(([name]) => !secrets.has(name)));
}

/**
 * By variable, why its value is refused: from the refused `values` of a dry run, and from an error INVALID_MATRIX of a start, whose message
 * names the variable first, such as `total: "1,2,3" is not a number`.
 */
export function refusedByName(
  values: readonly { name: string; message: string }[],
  error: unknown,
): Readonly<Record<string, string>> {
  const refused = values.map(({ name, message }): [string, string] => [name, withoutName(name, message)]);
  const named = error instanceof CallError && error.code === 'INVALID_MATRIX' ? error.field : undefined;
  return Object.fromEntries(named ? [...refused, [named.path, named.text]] : refused);
}

function withoutName(name: string, message: string): string {
  return message.startsWith(`${name}: `) ? message.slice(name.length + 2) : message;
}
