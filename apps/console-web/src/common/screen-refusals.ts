import { CallError } from '../api/error';
import { patternsOf, ruleOf } from './refusal-text';

type Translate = (rule: string, values: Record<string, string>) => string;

/**
 * Returns a function, for `catch`, that throws the error of a call again; if the error is a refusal of a field by one of the rules, it first sets
 * its `translation`. For rules that one screen needs: `REFUSAL_RULES` and its translations are part of the first load, which has a maximum size.
 */
export function translatorOf(rules: Record<string, string>, translate: Translate): (error: unknown) => never {
  const patterns = patternsOf(rules);
  return (error) => {
    const field = error instanceof CallError ? error.field : undefined;
    const known = field && ruleOf(field.text, patterns);
    if (error instanceof CallError && known) error.translation = () => translate(known.rule, known.values);
    throw error;
  };
}
