/** A piece of a template: plain text, or a reference, whose `source` is the reference with its braces. */
export type TemplatePart = { kind: 'text'; text: string } | { kind: 'reference'; name: string; source: string };

/**
 * Whether a name is a variable or a path into a variable's value. A name in the strict form is a reference in any case; any other one, for
 * instance with spaces, and a field of a mapping, only if this is true.
 */
export type IsVariable = (name: string) => boolean;

/**
 * The strict form of a name: segments of letters, digits, `_`, `-` and `$`, joined by dots. It begins with a letter or
 * `_`, so that `{3}` is text.
 */
const STRICT_NAME = /^[\p{L}_][\p{L}\p{N}_$-]*(?:\.[\p{L}\p{N}_$-]+)*$/u;
const MAX_REFERENCE_LENGTH = 300;
const SINGLE_BRACES = new RegExp(String.raw`\{([^{}\r\n]{1,${MAX_REFERENCE_LENGTH}})\}`, 'uy');
const DOUBLE_BRACES = new RegExp(String.raw`\{\{([^{}\r\n]{1,${MAX_REFERENCE_LENGTH}})\}\}`, 'uy');

/**
 * The name of the variable that holds a field of the step's mapping while the step's action runs (contract 2.12). No other variable can
 * have this name, because names have no braces.
 */
export function fieldVariable(field: string): string {
  return `{${field}}`;
}

/** True for the name that `fieldVariable` gives. */
export function isFieldVariable(name: string): boolean {
  return name.startsWith('{');
}

/**
 * Braces of a template: a reference `{name}`; or `{{name}}`, which refers to a field of the step's mapping and is literal text
 * where there is no such field (contract 2.12). `end` is the position after the braces.
 */
export type TemplateBraces = { kind: 'reference' | 'literal'; name: string; end: number };

/** The reference, or the `{{name}}` that stays text, which begins at `position`; undefined when neither begins there. */
export function bracesAt(text: string, position: number, isVariable?: IsVariable): TemplateBraces | undefined {
  const double = innerOf(DOUBLE_BRACES, text, position);
  if (double !== undefined) {
    const end = position + double.length + 4;
    const field = fieldVariable(double);
    if (isVariable?.(field)) return { kind: 'reference', name: field, end };
    if (isReference(double, isVariable)) return { kind: 'literal', name: double, end };
  }
  const single = innerOf(SINGLE_BRACES, text, position);
  if (single === undefined || !isReference(single, isVariable)) return undefined;
  return { kind: 'reference', name: single, end: position + single.length + 2 };
}

/**
 * Splits a text field into text and references (contract 2.12). A reference is one pair of braces around a name in the
 * strict form, or around a name for which `isVariable` is true, or two pairs around a field of the step's mapping. Therefore JSON
 * (`{"a": 1}`), code (`{ return 1 }`) and any other `{{name}}` are text. `{JS}` is a marker and not a reference.
 */
export function parseTemplate(text: string, isVariable?: IsVariable): TemplatePart[] {
  const parts: TemplatePart[] = [];
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

/** The name of the reference when the text is exactly one reference, without even a space around it. */
export function loneReference(text: string, isVariable?: IsVariable): string | undefined {
  const [part, ...others] = parseTemplate(text, isVariable);
  return part?.kind === 'reference' && others.length === 0 ? part.name : undefined;
}

function innerOf(pattern: RegExp, text: string, position: number): string | undefined {
  pattern.lastIndex = position;
  return pattern.exec(text)?.[1];
}

/** True for a name in the strict form: in braces it is a reference, even where no such variable exists. */
export function isStrictName(name: string): boolean {
  return STRICT_NAME.test(name);
}

function isReference(name: string, isVariable?: IsVariable): boolean {
  if (name === 'JS' || name.trim() !== name) return false;
  return isStrictName(name) || isVariable?.(name) === true;
}
