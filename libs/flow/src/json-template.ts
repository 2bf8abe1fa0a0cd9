import { plainValue, textOf } from './plain-value';
import { bracesAt, type Braces, type IsVariable } from './template';
import { resolveReference, variableOf, type Resolved, type Variables } from './variables';

/** `single`: `{name}` as in every text field; `double`: `{{name}}` of a Webhook Response (contract 4.17). */
export type BraceStyle = 'single' | 'double';

/** A piece of a JSON template; `quoted` says that the reference stands inside a JSON string. */
export type JsonPart =
  { kind: 'text'; text: string } | { kind: 'reference'; name: string; source: string; quoted: boolean };

const DOUBLE = /\{\{\s{0,20}([^{}\s](?:[^{}]{0,298}[^{}\s])?)\s{0,20}\}\}/y;

export function parseJsonTemplate(template: string, style: BraceStyle, isVariable?: IsVariable): JsonPart[] {
  const parts: JsonPart[] = [];
  let quoted = false;
  let plainFrom = 0;
  let position = 0;
  while (position < template.length) {
    const character = template[position];
    const found = character === '{' ? bracesOf(template, position, style, isVariable) : undefined;
    if (found?.kind === 'reference') {
      parts.push({ kind: 'text', text: template.slice(plainFrom, position) });
      parts.push({ kind: 'reference', name: found.name, source: template.slice(position, found.end), quoted });
      plainFrom = found.end;
    }
    if (character === '"') quoted = !quoted;
    position = found?.end ?? position + (quoted && character === '\\' ? 2 : 1);
  }
  return [...parts, { kind: 'text', text: template.slice(plainFrom) }];
}

/** Whether the text is JSON once values stand in for its references; what the values are cannot change that. */
export function isJsonTemplate(template: string, style: BraceStyle, isVariable?: IsVariable): boolean {
  const parts = parseJsonTemplate(template, style, isVariable);
  const standIn = (part: JsonPart) => (part.kind === 'text' ? part.text : part.quoted ? '' : 'null');
  return isJson(parts.map(standIn).join(''));
}

/**
 * Fills a JSON template in (interpretation 30). Inside quotes every value is escaped text; outside, numbers, booleans, lists
 * and objects are JSON, text is a JSON string, empty is null. Without a variable, outside: null; inside: `{name}` stays
 * as it is written and `{{name}}` is empty. Ends early once there are more than `most` characters.
 */
export function renderJsonTemplate(template: string, style: BraceStyle, lookup: Variables, most = Infinity): string {
  const isVariable = (name: string) => variableOf(name, lookup) !== undefined;
  let text = '';
  for (const part of parseJsonTemplate(template, style, isVariable)) {
    text += partText(part, style, lookup);
    if (text.length > most) break;
  }
  return text;
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function bracesOf(text: string, position: number, style: BraceStyle, isVariable?: IsVariable): Braces | undefined {
  if (style === 'single') return bracesAt(text, position, isVariable);
  DOUBLE.lastIndex = position;
  const [source, name] = DOUBLE.exec(text) ?? [];
  return source && name ? { kind: 'reference', name, end: position + source.length } : undefined;
}

function partText(part: JsonPart, style: BraceStyle, lookup: Variables): string {
  if (part.kind === 'text') return part.text;
  const found = resolveReference(part.name, lookup);
  if (!part.quoted) return jsonText(found);
  return found || style === 'double' ? escapedText(found) : part.source;
}

function jsonText(found: Resolved | undefined): string {
  const value = plainValue(found?.value);
  if (value === null || value === '') return 'null';
  return found?.type === 'Moeda' ? textOf(value, 'Moeda', 'machine') : JSON.stringify(value);
}

function escapedText(found: Resolved | undefined): string {
  return JSON.stringify(textOf(found?.value, found?.type, 'machine')).slice(1, -1);
}
