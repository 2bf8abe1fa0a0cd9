import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import type { KnownVariable } from '../model/variables';

/** Gives a text of the flow editor in the user's language. */
type Translate = (key: string, values?: Record<string, string>) => string;

/** A completion source of CodeMirror: it offers variables after an opening brace, and inserts the closing brace where it is missing. */
export function completeVariables(variables: () => readonly KnownVariable[], t: Translate) {
  return (context: CompletionContext): CompletionResult | null => {
    const before = context.matchBefore(/\{[^{}\r\n]*/u);
    if (!before) return null;
    const closes = context.state.sliceDoc(context.pos, context.pos + 1) === '}';
    const options = variables().map((variable, index) => optionOf(variable, closes, index, t));
    return { from: before.from + 1, options, validFor: /^[^{}\r\n]*$/u };
  };
}

function optionOf(
  { name, source, type, step, isCertain }: KnownVariable,
  closes: boolean,
  index: number,
  t: Translate,
): Completion {
  const from = step === undefined ? t(`variables.${source}`) : t('variables.ofStep', { step });
  return {
    label: name,
    detail: [type, from, isCertain ? undefined : t('variables.uncertain')]
      .filter((part) => part !== undefined)
      .join(' · '),
    apply: closes ? name : `${name}}`,
    boost: isCertain ? -index / 1_000 : -50,
  };
}
