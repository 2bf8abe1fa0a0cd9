import { parseCode, type CodePart } from './code-scanner';
import { literalOf, stringContent } from './literal';
import { textOf } from './plain-value';
import { resolveReference, variableOf, type Variables } from './variables';

const NO_SUBSTITUTION = /^\s*\{JS\}/;

/** Whether the author declared the code to be pure JavaScript (contract 2.11). */
export function isPureJavaScript(code: string): boolean {
  return NO_SUBSTITUTION.test(code);
}

/**
 * A formula, condition or script with its `{var}` filled in, ready for the sandbox (contract 2.12, interpretation 43). Outside
 * quotes a value enters as a literal, inside quotes as escaped text with Moeda as `1234.56`; comments, regular
 * expressions and braces that name no variable stay as written. Code that begins with `{JS}` only loses the marker.
 */
export function substituteCode(code: string, lookup: Variables): string {
  if (isPureJavaScript(code)) return code.replace(NO_SUBSTITUTION, '');
  return parseCode(code, (name) => variableOf(name, lookup) !== undefined)
    .map((part) => (part.kind === 'code' ? part.text : filledIn(part, lookup)))
    .join('');
}

function filledIn(part: CodePart & { kind: 'reference' }, lookup: Variables): string {
  const found = resolveReference(part.name, lookup);
  if (!found) return part.source;
  return part.quote ? stringContent(textOf(found.value, found.type, 'machine')) : literalOf(found.value);
}
