import type { Step } from '../definition/definition';
import { pointerSegment, type FlowProblem } from '../definition/problem';
import { mappingOf } from '../substitution/mapped-fields';
import { actionTexts, mappingTexts } from '../substitution/step-texts';
import { fieldVariable } from '../substitution/template';
import { variableOf } from '../variables/resolve-reference';
import { declaredFields } from './declared-fields';
import type { KnownNames } from './known-names';
import { newNameProblem } from './name-rules';
import { referenceProblems } from './reference-rules';
import { EMPTY_FORMULA_MESSAGE, isEmptyFormula } from './row-rules';

/** The problems of a step's mapping, with paths within the step (contract 2.12, interpretation 59). */
export function stepMappingProblems(step: Step, names: KnownNames): FlowProblem[] {
  return [
    ...Object.entries(mappingOf(step)).flatMap(([field, { mode, value }]) => {
      const path = `/mapping/${pointerSegment(field)}`;
      const name = newNameProblem(field);
      return [
        ...(name === undefined ? [] : [{ path, message: `the name of a field ${name}` }]),
        ...(isEmptyFormula(mode, value) ? [{ path: `${path}/value`, message: EMPTY_FORMULA_MESSAGE }] : []),
      ];
    }),
    ...mappingReferenceProblems(step, names),
    ...unmappedFields(step, names).flatMap(({ name, paths, isVariable, hasMapping }) => {
      if (isVariable || !hasMapping) return [];
      const message = `{{${name}}}: the mapping of the step has no field "${name}" (braces of another meaning take a space: "{{ ${name} }}")`;
      return paths.map((path) => ({ path, message }));
    }),
  ];
}

/**
 * Warnings about definitions that the contract allows but an author seldom intends: braces that stay text, and mapped fields that no
 * text declares.
 */
export function mappingWarnings(step: Step, names: KnownNames): FlowProblem[] {
  const declared = new Set(declaredFields(step).map(({ name }) => name));
  const unused = Object.keys(mappingOf(step)).filter((field) => !declared.has(field));
  return [
    ...unmappedFields(step, names).flatMap(({ name, paths, isVariable, hasMapping }) => {
      if (hasMapping && !isVariable) return [];
      const instead = isVariable ? `; {${name}} reads the variable` : '';
      const message = `{{${name}}} stays text, because the step maps no field "${name}"${instead}`;
      return paths.map((path) => ({ path, message }));
    }),
    ...unused.map((field) => ({
      path: `/mapping/${pointerSegment(field)}`,
      message: `no text of the step has {{${field}}}, so this value is not used`,
    })),
  ];
}

/** The problems of the references in a step's mapping. The validation script of a field may refer to that field by its name. */
function mappingReferenceProblems(step: Step, names: KnownNames): FlowProblem[] {
  return mappingTexts(step).flatMap((text) => {
    const own = Object.keys(mappingOf(step)).find(
      (field) => text.path === `/mapping/${pointerSegment(field)}/validation`,
    );
    return referenceProblems(text, own === undefined ? names : withNames(names, (name) => name === own));
  });
}

/**
 * The problems of the references in the fields of a step that its connector reads. `{field}` in place of `{{field}}` for a field of the
 * mapping is literal text and not an error (contract 2.12), except in a `database` step, in whose SQL it cannot become a parameter.
 */
export function actionReferenceProblems(step: Step, names: KnownNames): FlowProblem[] {
  const mapping = mappingOf(step);
  const known = step.type === 'database' ? names : withNames(names, (name) => Object.hasOwn(mapping, name));
  return actionTexts(step).flatMap((field) => referenceProblems(field, known));
}

/** The names that the fields of a step may refer to: those of the flow, and the fields of its mapping. */
export function namesInFields(step: Step, names: KnownNames): KnownNames {
  const fields = new Set(Object.keys(mappingOf(step)).map(fieldVariable));
  return withNames(names, (name) => fields.has(name));
}

/** The fields that texts of the step declare as `{{name}}` and its mapping lacks. `hasMapping` = the step maps any field at all. */
function unmappedFields(step: Step, names: KnownNames) {
  const mapping = mappingOf(step);
  const hasMapping = Object.keys(mapping).length > 0;
  return declaredFields(step)
    .filter(({ name }) => !Object.hasOwn(mapping, name))
    .map((field) => ({ ...field, hasMapping, isVariable: names.variableOf(field.name) !== undefined }));
}

function withNames(names: KnownNames, has: (name: string) => boolean): KnownNames {
  return { ...names, variableOf: (reference) => names.variableOf(reference) ?? variableOf(reference, { has }) };
}
