import type { Row, Step } from './definition';
import { newNameProblem, targetProblem, targetType } from './name-rules';
import type { Names } from './names';
import type { Problem } from './problem';
import { mentionProblems } from './reference-rules';
import { mentionsIn, rowTexts } from './step-texts';

/** The rules of a step's flow variables (contract 2.12). Paths are within the step. */
export function rowProblems(step: Step, stepIndex: number, names: Names): Problem[] {
  const values = rowTexts(step);
  return (step.rows ?? []).flatMap((row, rowIndex) => {
    const place = { step: stepIndex, row: rowIndex };
    const path = `/rows/${rowIndex}`;
    const value = values[rowIndex];
    return [
      ...at(`${path}/name`, row.assign ? targetProblem(row.name, place, names) : createdNameProblem(row, place, names)),
      ...at(`${path}/type`, row.assign ? typeProblem(row, names) : undefined),
      ...at(`${path}/value`, valueProblem(row)),
      ...(value ? mentionProblems(value, names) : []),
      ...(value ? orderProblems(value, place, names) : []),
    ];
  });
}

type Place = { step: number; row: number };

function createdNameProblem({ name }: Row, place: Place, names: Names): string | undefined {
  const problem = newNameProblem(name);
  if (problem) return problem;
  if (names.steps.has(name)) return `"${name}" is the name of a step`;
  if (names.automatic.has(name)) return `"${name}" is the result of a step`;
  const first = names.rows.get(name);
  const isFirst = first?.step === place.step && first.row === place.row;
  return isFirst ? undefined : `"${name}" is created in another row already`;
}

function typeProblem({ name, type }: Row, names: Names): string | undefined {
  const target = targetType(name, names);
  if (!type || !target || type === target) return undefined;
  return `an assignment converts to the type of its target, which is ${target}`;
}

function valueProblem({ mode, value }: Row): string | undefined {
  if (/\{vault\.[^{}]+\}/.test(value)) return 'a flow variable does not accept {vault.KEY}';
  const isEmpty = value.replace('{JS}', '').trim() === '';
  return mode === 'Fórmula' && isEmpty ? 'a formula cannot be empty' : undefined;
}

/** A row may use only variables created in rows above it; those of other steps may come in any order. */
function orderProblems(value: Parameters<typeof mentionsIn>[0], place: Place, names: Names): Problem[] {
  const mentioned = mentionsIn(value, (name) => names.variableOf(name) !== undefined);
  const early = mentioned.flatMap(({ name }) => {
    const variable = names.variableOf(name) ?? '';
    const created = names.rows.get(variable);
    return created && created.step === place.step && created.row >= place.row ? [variable] : [];
  });
  return [...new Set(early)].flatMap((name) => at(value.path, `{${name}} is not created in a row above`));
}

function at(path: string, message: string | undefined): Problem[] {
  return message === undefined ? [] : [{ path, message }];
}
