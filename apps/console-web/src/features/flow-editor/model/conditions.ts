import { isRecord, type DraftStep } from '../../../flow/draft';

/** The prefix of a condition in which the agent substitutes no `{name}`; spaces may stand before it. */
const PURE_JAVASCRIPT = '{JS}';

/**
 * Both conditions joined by `&&`, or the only one. Undefined without any, and where one has the prefix of pure JavaScript and the other has
 * braces.
 */
export function conjunctionOf(first: string | undefined, second: string | undefined): string | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  const [a, b] = [withoutPrefix(first), withoutPrefix(second)];
  if (a.isPure === b.isPure)
    return `${a.isPure ? PURE_JAVASCRIPT : ''}${inParentheses(a.code)} && ${inParentheses(b.code)}`;
  // A condition without braces means the same with and without substitution.
  const substituted = a.isPure ? b : a;
  if (substituted.code.includes('{')) return undefined;
  return `${PURE_JAVASCRIPT}${inParentheses(a.code)} && ${inParentheses(b.code)}`;
}

function withoutPrefix(condition: string): { code: string; isPure: boolean } {
  const code = condition.trimStart();
  const isPure = code.startsWith(PURE_JAVASCRIPT);
  return {
    code: isPure ? code.slice(PURE_JAVASCRIPT.length) : condition,
    isPure,
  };
}

/** A line break ends a comment of the code, which would otherwise hide the closing parenthesis. */
function inParentheses(code: string): string {
  return code.includes('//') ? `(${code.trim()}\n)` : `(${code.trim()})`;
}

/** True when a condition reads this step's result, one of its rows or a variable of its connector or validation, and so needs the step. */
export function readsResultOf(step: DraftStep, condition: string): boolean {
  const names = [...resultsOf(step), 'stepValidation', 'connector', 'fastCheck', 'urlChanged'];
  return names.some((name) => condition.includes(`{${name}}`) || condition.includes(`{${name}.`));
}

/** The variables that a step creates: its result and those of its rows that assign no other variable. */
function resultsOf(step: DraftStep): string[] {
  const rows: unknown[] = Array.isArray(step.rows) ? step.rows : [];
  const created = rows.flatMap((row) =>
    isRecord(row) && row.assign !== true && typeof row.name === 'string' ? [row.name] : [],
  );
  return typeof step.as === 'string' ? [step.as, ...created] : created;
}
