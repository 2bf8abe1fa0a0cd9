import type { MatrixType } from '@batuta/matrix';
import type { JsonValue } from './definition';
import { isJsonTemplate, renderJsonTemplate } from './json-template';
import { plainValue, textOf, type TextFormat } from './plain-value';
import { loneReference, parseTemplate } from './template';
import { resolveReference, variableOf, type Resolved, type Variables } from './variables';

/**
 * A text field with each `{var}` replaced, once: braces inside a value stay text. Moeda goes by `format`, lists and
 * objects are JSON, null is empty. A reference that no variable leads stays as it is written (contract 2.6, 2.12).
 */
export function renderText(text: string, lookup: Variables, format: TextFormat): string {
  const parts = parseTemplate(text, (name) => variableOf(name, lookup) !== undefined);
  return parts
    .map((part) => {
      if (part.kind === 'text') return part.text;
      const found = resolveReference(part.name, lookup);
      return found ? textOf(found.value, found.type, format) : part.source;
    })
    .join('');
}

/**
 * Mode "Variável ou texto" (contract 2.12): a lone variable gives its own value and keeps its type; mixed with text the
 * result is text as a person reads it.
 */
export function renderTypedValue(text: string, lookup: Variables): { value: unknown; type?: MatrixType } {
  const { value, type } = loneVariable(text, lookup) ?? { value: renderText(text, lookup, 'person'), type: undefined };
  return type ? { value, type } : { value };
}

/** The value alone of `renderTypedValue`. */
export function renderValue(text: string, lookup: Variables): unknown {
  return renderTypedValue(text, lookup).value;
}

/**
 * The body of a REST call. A JSON value is sent as JSON, its texts rendered one by one: a lone variable keeps its type.
 * A text that is itself a JSON template is filled in by the same rules, so that no value can break out of its quotes;
 * any other text is plain text with dot decimals.
 */
export function renderBody(body: JsonValue, lookup: Variables): string {
  if (typeof body !== 'string') return JSON.stringify(renderTree(body, lookup));
  const isVariable = (name: string) => variableOf(name, lookup) !== undefined;
  const isPlain = loneReference(body.trim(), isVariable) !== undefined || !isJsonTemplate(body, 'single', isVariable);
  return isPlain ? renderText(body, lookup, 'machine') : renderJsonTemplate(body, 'single', lookup);
}

/** A JSON value with every text in it rendered for machines, keys left alone; for parameters and nested bodies. */
export function renderTree(tree: JsonValue, lookup: Variables): unknown {
  if (typeof tree === 'string') {
    const lone = loneVariable(tree, lookup);
    return lone ? plainValue(lone.value) : renderText(tree, lookup, 'machine');
  }
  if (Array.isArray(tree)) return tree.map((item) => renderTree(item, lookup));
  if (typeof tree !== 'object' || tree === null) return tree;
  return Object.fromEntries(Object.entries(tree).map(([key, value]) => [key, renderTree(value, lookup)]));
}

function loneVariable(text: string, lookup: Variables): Resolved | undefined {
  const name = loneReference(text, (candidate) => variableOf(candidate, lookup) !== undefined);
  return name === undefined ? undefined : resolveReference(name, lookup);
}
