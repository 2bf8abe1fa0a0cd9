import { refusedName } from '@batuta/json';
import { plainValue, formattedText } from '../variables/plain-value';
import { bracesAt, type TemplateBraces, type IsVariable } from './template';
import {
  resolveReference,
  variableOf,
  type ResolvedReference,
  type ReadableVariables,
} from '../variables/resolve-reference';

/** `single`: `{name}`, as in every text field; `double`: `{{name}}`, as in a Webhook Response (contract 4.17). */
export type BraceStyle = 'single' | 'double';

/** A piece of a JSON template; a reference inside a JSON string is `quoted`. */
export type JsonPart = { kind: 'text'; text: string } | JsonReference;

interface JsonReference {
  kind: 'reference';
  name: string;
  source: string;
  quoted: boolean;
}

const DOUBLE_BRACES = /\{\{\s{0,20}([^{}\s](?:[^{}]{0,298}[^{}\s])?)\s{0,20}\}\}/y;

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

/** True when the text becomes JSON once its references are replaced; the values cannot change that. */
export function isJsonTemplate(template: string, style: BraceStyle, isVariable?: IsVariable): boolean {
  const parts = parseJsonTemplate(template, style, isVariable);
  const placeholder = (part: JsonPart) => (part.kind === 'text' ? part.text : part.quoted ? '' : 'null');
  return isJson(parts.map(placeholder).join(''));
}

/**
 * Replaces the references of a JSON template (interpretation 30). Inside quotes a value becomes escaped text; outside, it
 * becomes JSON, and empty text becomes null. When no such variable exists, the reference becomes null outside quotes; inside, `{name}`
 * stays unchanged and `{{name}}` becomes empty. Stops once the result has more than `maxLength` characters.
 */
export function renderJsonTemplate(
  template: string,
  style: BraceStyle,
  lookup: ReadableVariables,
  maxLength = Infinity,
): string {
  const isVariable = (name: string) => variableOf(name, lookup) !== undefined;
  let text = '';
  for (const part of parseJsonTemplate(template, style, isVariable)) {
    text += partText(part, style, lookup);
    if (text.length > maxLength) break;
  }
  return text;
}

/** True for JSON text without a refused name (interpretation 62). */
export function isJson(text: string): boolean {
  if (refusedName(text) !== undefined) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function bracesOf(
  text: string,
  position: number,
  style: BraceStyle,
  isVariable?: IsVariable,
): TemplateBraces | undefined {
  if (style === 'single') return bracesAt(text, position, isVariable);
  DOUBLE_BRACES.lastIndex = position;
  const [source, name] = DOUBLE_BRACES.exec(text) ?? [];
  return source && name ? { kind: 'reference', name, end: position + source.length } : undefined;
}

function partText(part: JsonPart, style: BraceStyle, lookup: ReadableVariables): string {
  if (part.kind === 'text') return part.text;
  const found = resolveReference(part.name, lookup);
  if (!part.quoted) return jsonText(found);
  return found || style === 'double' ? escapedText(found) : part.source;
}

function jsonText(found: ResolvedReference | undefined): string {
  const value = plainValue(found?.value);
  if (value === null || value === '') return 'null';
  return found?.type === 'Moeda' ? formattedText(value, 'Moeda', 'machine') : JSON.stringify(value);
}

function escapedText(found: ResolvedReference | undefined): string {
  return JSON.stringify(formattedText(found?.value, found?.type, 'machine')).slice(1, -1);
}
