import type { Row, Step } from '../definition/definition';
import { newNameProblem, targetProblem, targetType } from './name-rules';
import type { KnownNames, RowPosition } from './known-names';
import type { FlowProblem } from '../definition/problem';
import { referenceProblems } from './reference-rules';
import { referencesIn, rowTexts, type StepText } from '../substitution/step-texts';

/** The problems of a step's flow variables, with paths relative to the step (contract 2.12). */
export function rowProblems(step: Step, stepIndex: number, names: KnownNames): FlowProblem[] {
  const values = rowTexts(step);
  return (step.rows ?? []).flatMap((row, rowIndex) => {
    const position = { step: stepIndex, row: rowIndex };
    const path = `/rows/${rowIndex}`;
    const value = values[rowIndex];
    return [
      ...problemIfAny(
        `${path}/name`,
        row.assign ? targetProblem(row.name, position, names) : createdNameProblem(row, position, names),
      ),
      ...problemIfAny(`${path}/type`, row.assign ? typeProblem(row, names) : undefined),
      ...problemIfAny(`${path}/value`, valueProblem(row)),
      ...(value ? referenceProblems(value, names) : []),
      ...(value ? orderProblems(value, position, names) : []),
    ];
  });
}

function createdNameProblem({ name }: Row, position: RowPosition, names: KnownNames): string | undefined {
  const problem = newNameProblem(name);
  if (problem) return problem;
  if (names.steps.has(name)) return `"${name}" is the name of a step`;
  if (names.resultNames.has(name)) return `"${name}" is the result of a step`;
  const first = names.flowVariables.get(name);
  const isFirst = first?.step === position.step && first.row === position.row;
  return isFirst ? undefined : `"${name}" is created in another row already`;
}

function typeProblem({ name, type }: Row, names: KnownNames): string | undefined {
  const target = targetType(name, names);
  if (!type || !target || type === target) return undefined;
  return `an assignment converts to the type of its target, which is ${target}`;
}

function valueProblem({ mode, value }: Row): string | undefined {
  if (/\{vault\.[^{}]+\}/.test(value)) return 'a flow variable does not accept {vault.KEY}';
  return isEmptyFormula(mode, value) ? EMPTY_FORMULA_MESSAGE : undefined;
}

export const EMPTY_FORMULA_MESSAGE = 'a formula cannot be empty';

/** True for an empty formula, also with the marker `{JS}` alone. */
export function isEmptyFormula(mode: Row['mode'], value: string): boolean {
  return mode === 'Fórmula' && value.replace('{JS}', '').trim() === '';
}

/** A row may use a variable of its own step only if a row above creates it; variables of other steps are always allowed. */
function orderProblems(value: StepText, position: RowPosition, names: KnownNames): FlowProblem[] {
  const references = referencesIn(value, (name) => names.variableOf(name) !== undefined);
  const createdLater = references.flatMap(({ name }) => {
    const variable = names.variableOf(name);
    const created = variable === undefined ? undefined : names.flowVariables.get(variable);
    return created && created.step === position.step && created.row >= position.row ? [variable] : [];
  });
  return [...new Set(createdLater)].flatMap((name) =>
    problemIfAny(value.path, `{${name}} is not created in a row above`),
  );
}

function problemIfAny(path: string, message: string | undefined): FlowProblem[] {
  return message === undefined ? [] : [{ path, message }];
}
