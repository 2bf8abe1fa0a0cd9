import { parseCode, type CodePart } from './code-scanner';
import { literalOf, stringContent } from './literal';
import { formattedText } from '../variables/plain-value';
import { resolveReference, variableOf, type ReadableVariables } from '../variables/resolve-reference';

const PURE_JAVASCRIPT_MARKER = /^\s*\{JS\}/;

/** True for code that begins with `{JS}`: it has no references (contract 2.11). */
export function isPureJavaScript(code: string): boolean {
  return PURE_JAVASCRIPT_MARKER.test(code);
}

/**
 * Replaces each `{var}` of a formula, condition or script, for the sandbox (contract 2.12, interpretation 43). Outside quotes
 * a value becomes a literal, inside quotes escaped text with Moeda as `1234.56`; comments, regular expressions and braces
 * without the name of a variable stay unchanged. Code that begins with `{JS}` only loses this marker.
 */
export function substituteCode(code: string, lookup: ReadableVariables): string {
  if (isPureJavaScript(code)) return code.replace(PURE_JAVASCRIPT_MARKER, '');
  return parseCode(code, (name) => variableOf(name, lookup) !== undefined)
    .map((part) => (part.kind === 'code' ? part.text : substituteReference(part, lookup)))
    .join('');
}

function substituteReference(part: CodePart & { kind: 'reference' }, lookup: ReadableVariables): string {
  const found = resolveReference(part.name, lookup);
  if (!found) return part.source;
  return part.quote ? stringContent(formattedText(found.value, found.type, 'machine')) : literalOf(found.value);
}
