import { isJson, parseJsonTemplate, renderJsonTemplate } from './json-template';
import { plainValue } from './plain-value';
import { resolveReference, type Variables } from './variables';

/** With a problem, `text` is what came out all the same. */
export type RenderedBody = { json: string } | { problem: string; text: string };

/**
 * The body of a Webhook Response step as JSON text (contract 4.17, interpretation 30). `{{name}}` and `{{matrix.name}}` insert
 * values; single braces are text. A body of nothing but `{{name}}` whose value is JSON text is that JSON. The problem
 * names no value, since it is logged. A text that has grown beyond `most` characters is filled in no further: it is too
 * long, and good for nothing else.
 */
export function renderResponseBody(template: string, lookup: Variables, most = Infinity): RenderedBody {
  const text = loneJsonText(template, lookup) ?? renderJsonTemplate(template, 'double', lookup, most);
  return isJson(text)
    ? { json: text }
    : { problem: 'body: is not valid JSON after its variables were filled in', text };
}

function loneJsonText(template: string, lookup: Variables): string | undefined {
  const [part, ...others] = parseJsonTemplate(template, 'double').filter(
    (each) => each.kind === 'reference' || each.text.trim() !== '',
  );
  if (part?.kind !== 'reference' || others.length > 0) return undefined;
  const value = plainValue(resolveReference(part.name, lookup)?.value);
  return typeof value === 'string' && isJson(value) ? value : undefined;
}
