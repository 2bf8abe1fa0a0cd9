import type { MatrixType } from '@batuta/matrix';
import { htmlEscape, type EscapeValue } from './html-escape';
import { isJsonTemplate, renderJsonTemplate } from './json-template';
import { plainValue, formattedText, type TextFormat } from '../variables/plain-value';
import { loneReference, parseTemplate } from './template';
import {
  resolveReference,
  variableOf,
  type ResolvedReference,
  type ReadableVariables,
} from '../variables/resolve-reference';

/**
 * Replaces each `{var}` of a text field by its value; braces inside a value stay text. Moeda is written in `format`, lists
 * and objects as JSON, null as empty text. A reference to a variable that does not exist stays unchanged (contract 2.6, 2.12).
 */
export function renderText(text: string, lookup: ReadableVariables, format: TextFormat, escape?: EscapeValue): string {
  const parts = parseTemplate(text, (name) => variableOf(name, lookup) !== undefined);
  let literal = '';
  return parts
    .map((part) => {
      const found = part.kind === 'reference' ? resolveReference(part.name, lookup) : undefined;
      if (!found) {
        const own = part.kind === 'text' ? part.text : part.source;
        literal += own;
        return own;
      }
      const value = formattedText(found.value, found.type, format);
      const written = escape ? escape(value, literal) : value;
      literal = '';
      return written;
    })
    .join('');
}

/** Renders HTML in the `person` format. A value becomes text and never markup, even inside a tag. */
export function renderHtml(html: string, lookup: ReadableVariables): string {
  return renderText(html, lookup, 'person', htmlEscape());
}

/**
 * The mode "Variável ou texto" (contract 2.12): a text that is one reference gives the value and type of its variable; any
 * other text gives rendered text in the `person` format.
 */
export function renderTypedValue(text: string, lookup: ReadableVariables): { value: unknown; type?: MatrixType } {
  const { value, type } = loneValue(text, lookup) ?? { value: renderText(text, lookup, 'person'), type: undefined };
  return type ? { value, type } : { value };
}

/**
 * The body of a REST call. A JSON value is sent as JSON with each of its texts rendered. A text that is a JSON template is
 * rendered as JSON, so that no value can leave its quotes; any other text, and one reference alone, is rendered in the `machine` format.
 */
export function renderBody(body: unknown, lookup: ReadableVariables): string {
  if (typeof body !== 'string') return JSON.stringify(renderJson(body, lookup));
  const isVariable = (name: string) => variableOf(name, lookup) !== undefined;
  const isPlain = loneReference(body.trim(), isVariable) !== undefined || !isJsonTemplate(body, 'single', isVariable);
  return isPlain ? renderText(body, lookup, 'machine') : renderJsonTemplate(body, 'single', lookup);
}

/**
 * One value of a list of parameters. A text that is one reference gives the value and type of its variable, any other text is
 * rendered in the `machine` format, and a list or an object has each of its texts rendered.
 */
export function renderParameter(json: unknown, lookup: ReadableVariables): { value: unknown; type?: MatrixType } {
  const { value, type } = (typeof json === 'string' ? loneValue(json, lookup) : undefined) ?? {
    value: renderJson(json, lookup),
    type: undefined,
  };
  return type ? { value, type } : { value };
}

/** Renders every text in a JSON value in the `machine` format; a text that is one reference keeps its type. Keys stay. */
function renderJson(json: unknown, lookup: ReadableVariables): unknown {
  if (typeof json === 'string') {
    const lone = loneValue(json, lookup);
    return lone ? plainValue(lone.value) : renderText(json, lookup, 'machine');
  }
  if (Array.isArray(json)) return json.map((item) => renderJson(item, lookup));
  if (typeof json !== 'object' || json === null) return json;
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, renderJson(value, lookup)]));
}

/** The value of a text that is exactly one reference; undefined for any other text. */
export function loneValue(text: string, lookup: ReadableVariables): ResolvedReference | undefined {
  const name = loneReference(text, (candidate) => variableOf(candidate, lookup) !== undefined);
  return name === undefined ? undefined : resolveReference(name, lookup);
}
