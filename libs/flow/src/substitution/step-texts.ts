import { parseCode } from './code-scanner';
import type { Flow, Route, Row, Step } from '../definition/definition';
import { pointerSegment } from '../definition/problem';
import type { Syntax } from '../definition/step-facts';
import { factsOf } from '../definition/step-types';
import { parseJsonTemplate } from './json-template';
import { isPureJavaScript } from './substitute-code';
import { parseTemplate, type IsVariable } from './template';
import { fieldOf } from '../variables/variables';

/** One field of a step that the author of the flow writes. */
export interface StepText {
  /** JSON Pointer within the step. */
  path: string;
  text: string;
  syntax: Syntax;
}

/** A reference in a field. In code outside quotes, the braces may also be a block or an object of JavaScript. */
export interface TextReference {
  name: string;
  inUnquotedCode: boolean;
}

/** Every field of a step that may have references, except its rows: see `rowTexts`. */
export function stepTexts(step: Step): StepText[] {
  return [
    ...actionTexts(step),
    ...(step.validation === undefined ? [] : [stepText('/validation', step.validation, 'script')]),
    ...conditionTexts('/routes', step.routes),
    ...conditionTexts('/onError', step.onError),
  ];
}

export function rowTexts(step: Step): StepText[] {
  const syntaxes: Partial<Record<Row['mode'], Syntax>> = { Fórmula: 'expression', 'Variável ou texto': 'text' };
  return (step.rows ?? []).map((row, index) =>
    stepText(`/rows/${index}/value`, row.value, syntaxes[row.mode] ?? 'literal'),
  );
}

/** The references of one field. Pure JavaScript (`{JS}`) and literal text have none. */
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
export const VAULT = 'vault.';

/** The vault keys that a flow refers to as `{vault.KEY}`, or `{{vault.KEY}}` in a response body; each key once. */
export function vaultKeysOf(flow: Flow): string[] {
  const names = flow.steps
    .flatMap(stepTexts)
    .flatMap((text) => referencesIn(text, (name) => name.startsWith(VAULT)))
    .map(({ name }) => name)
    .filter((name) => name.startsWith(VAULT) && name.length > VAULT.length);
  return [...new Set(names.map((name) => name.slice(VAULT.length)))];
}

function actionTexts(step: Step): StepText[] {
  return Object.entries(factsOf(step.type).references).flatMap(([field, syntax]) =>
    textsIn(fieldOf(step, field), syntax, `/${field}`),
  );
}

/** Every text inside a JSON value. Keys are not templates. */
function textsIn(json: unknown, syntax: Syntax, path: string): StepText[] {
  if (typeof json === 'string') return [stepText(path, json, syntax)];
  if (typeof json !== 'object' || json === null) return [];
  return Object.entries(json).flatMap(([key, value]) => textsIn(value, syntax, `${path}/${pointerSegment(key)}`));
}

function conditionTexts(path: string, routes: Route[] = []): StepText[] {
  return routes.flatMap(({ when }, index) =>
    when === undefined ? [] : [stepText(`${path}/${index}/when`, when, 'expression')],
  );
}

function stepText(path: string, text: string, syntax: Syntax): StepText {
  return { path, text, syntax };
}
