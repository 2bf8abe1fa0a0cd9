import { isRecord } from '../../../flow/draft';

/** How a text of a step is edited: as plain text, in which braces mean nothing, as a template with `{name}`, or as JavaScript with `{name}`. */
export type TextSyntax = 'plain' | 'text' | 'code';

const CODE = new Set(['code', 'validation', 'when']);
/** Fields such as names, in which braces are plain text. */
const PLAIN = new Set(['name', 'as', 'into', 'key', 'attribute']);

/** The syntax of the text in the field `key` of `parent`. Where `parent` is a row of variables, its `mode` decides the syntax of its `value`. */
export function syntaxOf(key: string, parent: unknown): TextSyntax {
  if (CODE.has(key)) return 'code';
  if (PLAIN.has(key)) return 'plain';
  const mode = isRecord(parent) ? parent.mode : undefined;
  if (key !== 'value' || mode === undefined) return 'text';
  if (mode === 'Fórmula') return 'code';
  return mode === 'Fixo' ? 'plain' : 'text';
}
