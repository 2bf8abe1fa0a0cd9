import { parseCode } from './code-scanner';
import type { Flow, Route, Row, Step } from '../definition/definition';
import { pointerSegment } from '../definition/problem';
import type { ReferenceSyntax } from '../definition/step-type-facts';
import { factsOf } from '../definition/step-types';
import { parseJsonTemplate } from './json-template';
import { isPureJavaScript } from './substitute-code';
import { parseTemplate, type IsVariable } from './template';
import { fieldOf } from '../variables/resolve-reference';
import { mappingOf } from './mapped-fields';

/** One text in a step that the author of the flow writes. */
export interface StepText {
  /** JSON Pointer within the step. */
  path: string;
  text: string;
  syntax: ReferenceSyntax;
}

/** A reference in a field. In code outside quotes, the braces may also be a block or an object of JavaScript. */
export interface TextReference {
  name: string;
  inUnquotedCode: boolean;
}

/** Every text of a step that may have references, except those of its rows, which `rowTexts` returns. */
export function stepTexts(step: Step): StepText[] {
  return [...mappingTexts(step), ...actionTexts(step), ...outcomeTexts(step)];
}

/** The code that runs after the step's action: its validation and the conditions of its routes. */
export function outcomeTexts(step: Step): StepText[] {
  return [
    ...(step.validation === undefined ? [] : [stepText('/validation', step.validation, 'script')]),
    ...conditionTexts('/routes', step.routes),
    ...conditionTexts('/onError', step.onError),
  ];
}

export function rowTexts(step: Step): StepText[] {
  return (step.rows ?? []).map((row, index) => stepText(`/rows/${index}/value`, row.value, syntaxOf(row.mode)));
}

/** The values in a step's mapping, and the validation scripts of its fields. */
export function mappingTexts(step: Step): StepText[] {
  return Object.entries(mappingOf(step)).flatMap(([field, { mode, value, validation }]) => {
    const path = `/mapping/${pointerSegment(field)}`;
    return [
      stepText(`${path}/value`, value, syntaxOf(mode)),
      ...(validation === undefined ? [] : [stepText(`${path}/validation`, validation, 'script')]),
    ];
  });
}

function syntaxOf(mode: Row['mode']): ReferenceSyntax {
  const syntaxes = { Fórmula: 'expression', 'Variável ou texto': 'text', Fixo: 'literal' } as const;
  return syntaxes[mode];
}

/** The references in one text. Pure JavaScript (`{JS}`) and literal text have none. */
export function referencesIn({ text, syntax }: StepText, isVariable?: IsVariable): TextReference[] {
  if (syntax === 'literal') return [];
  if (syntax === 'text' || syntax === 'response') {
    const parts = syntax === 'text' ? parseTemplate(text, isVariable) : parseJsonTemplate(text, 'double', isVariable);
    return parts.flatMap((part) => (part.kind === 'reference' ? [{ name: part.name, inUnquotedCode: false }] : []));
  }
  if (isPureJavaScript(text)) return [];
  return parseCode(text, isVariable).flatMap((part) =>
    part.kind === 'reference' ? [{ name: part.name, inUnquotedCode: part.quote === undefined }] : [],
  );
}

/** Prefix of the names of vault values. */
export const VAULT_PREFIX = 'vault.';

/** The vault keys that a flow refers to as `{vault.KEY}`, or `{{vault.KEY}}` in a response body; each key once. */
export function vaultKeysOf(flow: Flow): string[] {
  const names = flow.steps
    .flatMap(stepTexts)
    .flatMap((text) => referencesIn(text, (name) => name.startsWith(VAULT_PREFIX)))
    .map(({ name }) => name)
    .filter((name) => name.startsWith(VAULT_PREFIX) && name.length > VAULT_PREFIX.length);
  return [...new Set(names.map((name) => name.slice(VAULT_PREFIX.length)))];
}

/** The texts of the step's action: those in the fields that may have references, also inside lists and objects. */
export function actionTexts(step: Step): StepText[] {
  return Object.entries(factsOf(step.type).references).flatMap(([field, syntax]) =>
    textsIn(fieldOf(step, field), syntax, `/${field}`),
  );
}

/** Every text inside a JSON value. Keys are not templates. */
function textsIn(json: unknown, syntax: ReferenceSyntax, path: string): StepText[] {
  if (typeof json === 'string') return [stepText(path, json, syntax)];
  if (typeof json !== 'object' || json === null) return [];
  return Object.entries(json).flatMap(([key, value]) => textsIn(value, syntax, `${path}/${pointerSegment(key)}`));
}

function conditionTexts(path: string, routes: Route[] = []): StepText[] {
  return routes.flatMap(({ when }, index) =>
    when === undefined ? [] : [stepText(`${path}/${index}/when`, when, 'expression')],
  );
}

function stepText(path: string, text: string, syntax: ReferenceSyntax): StepText {
  return { path, text, syntax };
}
