import type { Step } from '../definition/definition';
import { mappingOf } from '../substitution/mapped-fields';
import { actionTexts } from '../substitution/step-texts';
import { isStrictName, parseTemplate } from '../substitution/template';
import { newNameProblem } from './name-rules';

/** A field that texts of a step declare as `{{name}}` (contract 2.12). */
export interface DeclaredField {
  name: string;
  /** JSON Pointers within the step to the texts with `{{name}}`. */
  paths: string[];
}

/**
 * The fields that the texts of a step declare, in the order of their first use. `{{matrix.total}}`, `{{vault.KEY}}` and `{{ total }}`
 * declare nothing, because no field can have such a name.
 */
export function declaredFields(step: Step): DeclaredField[] {
  const mapping = mappingOf(step);
  const canBeDeclared = (name: string) =>
    (isStrictName(name) || Object.hasOwn(mapping, name)) && newNameProblem(name) === undefined;
  const fields = new Map<string, Set<string>>();
  for (const { path, text, syntax } of actionTexts(step)) {
    for (const name of syntax === 'text' ? namesInDoubleBraces(text, canBeDeclared) : []) {
      fields.set(name, (fields.get(name) ?? new Set()).add(path));
    }
  }
  return [...fields].map(([name, paths]) => ({ name, paths: [...paths] }));
}

function namesInDoubleBraces(text: string, canBeDeclared: (name: string) => boolean): string[] {
  const fieldOf = (variable: string) => /^\{(.*)\}$/su.exec(variable)?.[1];
  const isField = (variable: string) => canBeDeclared(fieldOf(variable) ?? '');
  return parseTemplate(text, isField).flatMap((part) => (part.kind === 'reference' ? (fieldOf(part.name) ?? []) : []));
}
