import { isJson, parseJsonTemplate, renderJsonTemplate } from '../substitution/json-template';
import { plainValue } from '../variables/plain-value';
import { resolveReference, type ReadableVariables } from '../variables/resolve-reference';

/** JSON text, or the problem of a rendered `text` that is not JSON. */
export type RenderedBody = { json: string } | { problem: string; text: string };

/**
 * The body of a Webhook Response step as JSON text (contract 4.17, interpretation 30). `{{name}}` and `{{matrix.name}}` insert
 * values; single braces are text. A body that is only `{{name}}`, with JSON text as its value, is that JSON. The problem
 * contains no value, because it is logged. Rendering stops once the text has more than `maxLength` characters: the caller
 * refuses such a body anyway.
 */
export function renderResponseBody(template: string, lookup: ReadableVariables, maxLength = Infinity): RenderedBody {
  const text = jsonTextOfOnlyReference(template, lookup) ?? renderJsonTemplate(template, 'double', lookup, maxLength);
  return isJson(text)
    ? { json: text }
    : { problem: 'body: is not valid JSON after its variables were filled in', text };
}

function jsonTextOfOnlyReference(template: string, lookup: ReadableVariables): string | undefined {
  const [part, ...others] = parseJsonTemplate(template, 'double').filter(
    (each) => each.kind === 'reference' || each.text.trim() !== '',
  );
  if (part?.kind !== 'reference' || others.length > 0) return undefined;
  const value = plainValue(resolveReference(part.name, lookup)?.value);
  return typeof value === 'string' && isJson(value) ? value : undefined;
}
