import { parseCode } from './code-scanner';
import type { Flow, JsonValue, Route, Step } from './definition';
import { parseJsonTemplate } from './json-template';
import { isPureJavaScript } from './substitute-code';
import { parseTemplate, type IsVariable } from './template';

/**
 * How a field is read: `text` = a template, `expression` = a formula or condition, `script` = a function body,
 * `response` = JSON with `{{name}}`, `literal` = as it stands.
 */
export type Reading = 'text' | 'expression' | 'script' | 'response' | 'literal';

/** One field of a step that its author writes; `path` is a JSON Pointer within the step. */
export interface StepText {
  path: string;
  text: string;
  reading: Reading;
}

/** A reference in a field; `bare` = in code outside quotes, where braces may also be a block or an object. */
export interface Mention {
  name: string;
  bare: boolean;
}

/** Every templated field of a step but its rows, which have rules of their own. */
export function stepTexts(step: Step): StepText[] {
  return [
    ...actionTexts(step),
    ...(step.validation === undefined ? [] : [field('/validation', step.validation, 'script')]),
    ...conditions('/routes', step.routes),
    ...conditions('/onError', step.onError),
  ];
}

export function rowTexts(step: Step): StepText[] {
  const readings: Record<string, Reading> = { Fórmula: 'expression', 'Variável ou texto': 'text' };
  return (step.rows ?? []).map((row, index) =>
    field(`/rows/${index}/value`, row.value, readings[row.mode] ?? 'literal'),
  );
}

/** The references of one field. Pure JavaScript (`{JS}`) and literal text have none. */
export function mentionsIn({ text, reading }: StepText, isVariable?: IsVariable): Mention[] {
  if (reading === 'literal') return [];
  if (reading === 'text' || reading === 'response') {
    const parts = reading === 'text' ? parseTemplate(text, isVariable) : parseJsonTemplate(text, 'double', isVariable);
    return parts.flatMap((part) => (part.kind === 'reference' ? [{ name: part.name, bare: false }] : []));
  }
  if (isPureJavaScript(text)) return [];
  return parseCode(text, isVariable).flatMap((part) =>
    part.kind === 'reference' ? [{ name: part.name, bare: part.quote === undefined }] : [],
  );
}

const VAULT = 'vault.';

/** Keys used as `{vault.KEY}` in the fields of the steps (in a response body `{{vault.KEY}}`), each once. */
export function vaultKeysOf(flow: Flow): string[] {
  const names = flow.steps
    .flatMap(stepTexts)
    .flatMap((text) => mentionsIn(text, (name) => name.startsWith(VAULT)))
    .map(({ name }) => name)
    .filter((name) => name.startsWith(VAULT) && name.length > VAULT.length);
  return [...new Set(names.map((name) => name.slice(VAULT.length)))];
}

function actionTexts(step: Step): StepText[] {
  switch (step.type) {
    case 'script':
      return [field('/code', step.code, 'script')];
    case 'webhookResponse':
      return [field('/body', step.body, 'response')];
    case 'rest':
      return textsIn({ url: step.url, headers: step.headers ?? {}, body: step.body ?? null });
    case 'database':
      return textsIn({ connection: step.connection, sql: step.sql, params: step.params ?? [] });
    case 'browser':
      return textsIn({ actions: step.actions });
    case 'email': {
      const { server, from, to, subject, text = null, html = null, attachments = [] } = step;
      return textsIn({ server, from, to, subject, text, html, attachments });
    }
    case 'variables':
    case 'wait':
    default:
      return [];
  }
}

/** Every text inside a JSON value; keys are no templates. */
function textsIn(tree: JsonValue, path = ''): StepText[] {
  if (typeof tree === 'string') return [field(path, tree, 'text')];
  if (typeof tree !== 'object' || tree === null) return [];
  return Object.entries(tree).flatMap(([key, value]) => textsIn(value, `${path}/${pointerSegment(key)}`));
}

function conditions(path: string, routes: Route[] = []): StepText[] {
  return routes.flatMap(({ when }, index) =>
    when === undefined ? [] : [field(`${path}/${index}/when`, when, 'expression')],
  );
}

function field(path: string, text: string, reading: Reading): StepText {
  return { path, text, reading };
}

/** RFC 6901. */
export function pointerSegment(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
