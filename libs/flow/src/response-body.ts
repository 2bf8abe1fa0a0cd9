import { isJson, parseJsonTemplate, renderJsonTemplate } from './json-template';
import { plainValue } from './plain-value';
import { resolveReference, type Variables } from './variables';

export type RenderedBody = { json: string } | { problem: string };

/**
 * The body of a Webhook Response step as JSON text (spec 4.17, reading 30). `{{name}}` and `{{matrix.name}}` insert
 * values; single braces are text. A body of nothing but `{{name}}` whose value is JSON text is that JSON. The problem
 * names no value, since it is logged.
 */
export function renderResponseBody(template: string, lookup: Variables): RenderedBody {
  const json = loneJsonText(template, lookup) ?? renderJsonTemplate(template, 'double', lookup);
  return isJson(json) ? { json } : { problem: 'body: is not valid JSON after its variables were filled in' };
}

function loneJsonText(template: string, lookup: Variables): string | undefined {
  const [part, ...others] = parseJsonTemplate(template, 'double').filter(
    (each) => each.kind === 'reference' || each.text.trim() !== '',
  );
  if (part?.kind !== 'reference' || others.length > 0) return undefined;
  const value = plainValue(resolveReference(part.name, lookup)?.value);
  return typeof value === 'string' && isJson(value) ? value : undefined;
}
