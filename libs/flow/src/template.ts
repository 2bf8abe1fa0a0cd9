/** A piece of a template: text as it stands, or a reference with its braces in `source`. */
export type Part = { kind: 'text'; text: string } | { kind: 'reference'; name: string; source: string };

/** Says of a name outside the strict form (with spaces, for instance) that it is a variable, or a path into one. */
export type IsVariable = (name: string) => boolean;

/** Letters, digits, `_`, `-`, `$`; segments joined by dots; a letter or `_` first, so that `{3}` stays text. */
const STRICT = /^[\p{L}_][\p{L}\p{N}_$-]*(?:\.[\p{L}\p{N}_$-]+)*$/u;
const LONGEST_REFERENCE = 300;
const BRACES = new RegExp(String.raw`\{([^{}\r\n]{1,${LONGEST_REFERENCE}})\}`, 'uy');
const DOUBLE_BRACES = new RegExp(String.raw`\{\{([^{}\r\n]{1,${LONGEST_REFERENCE}})\}\}`, 'uy');

/** What stands at one opening brace: a reference, `{{name}}` which is literal (contract 2.12), or nothing of ours. */
export type Braces = { kind: 'reference' | 'literal'; name: string; end: number };

export function bracesAt(text: string, position: number, isVariable?: IsVariable): Braces | undefined {
  const double = innerOf(DOUBLE_BRACES, text, position);
  if (double !== undefined && isReference(double, isVariable)) {
    return { kind: 'literal', name: double, end: position + double.length + 4 };
  }
  const single = innerOf(BRACES, text, position);
  if (single === undefined || !isReference(single, isVariable)) return undefined;
  return { kind: 'reference', name: single, end: position + single.length + 2 };
}

/**
 * Splits a text field into text and references (contract 2.12). A reference is one pair of braces around a name in the
 * strict form above, or around anything that `isVariable` knows; so JSON (`{"a": 1}`), code (`{ return 1 }`) and
 * `{{name}}` are text. `{JS}` is a marker and no reference.
 */
export function parseTemplate(text: string, isVariable?: IsVariable): Part[] {
  const parts: Part[] = [];
  let plainFrom = 0;
  let position = text.indexOf('{');
  while (position >= 0) {
    const braces = bracesAt(text, position, isVariable);
    if (braces?.kind === 'reference') {
      if (position > plainFrom) parts.push({ kind: 'text', text: text.slice(plainFrom, position) });
      parts.push({ kind: 'reference', name: braces.name, source: text.slice(position, braces.end) });
      plainFrom = braces.end;
    }
    position = text.indexOf('{', braces?.end ?? position + 1);
  }
  if (plainFrom < text.length) parts.push({ kind: 'text', text: text.slice(plainFrom) });
  return parts;
}

/** The names that a text field refers to, each once, in the order of their first mention. */
export function referencesOf(text: string, isVariable?: IsVariable): string[] {
  const names = parseTemplate(text, isVariable).flatMap((part) => (part.kind === 'reference' ? [part.name] : []));
  return [...new Set(names)];
}

/** The name, when the text is one reference and nothing else, not even a space. */
export function loneReference(text: string, isVariable?: IsVariable): string | undefined {
  const [part, ...others] = parseTemplate(text, isVariable);
  return part?.kind === 'reference' && others.length === 0 ? part.name : undefined;
}

function innerOf(pattern: RegExp, text: string, position: number): string | undefined {
  pattern.lastIndex = position;
  return pattern.exec(text)?.[1];
}

function isReference(name: string, isVariable?: IsVariable): boolean {
  if (name === 'JS' || name.trim() !== name) return false;
  return STRICT.test(name) || isVariable?.(name) === true;
}
