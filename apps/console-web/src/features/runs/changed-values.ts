import type { StartedValueAnswer } from '../../api/generated/console-api';
import { valueText } from './value-text';

/** The values that the form offers: those of variables that the process still has, because a start refuses others. */
export function offeredValues(values: StartedValueAnswer[]): StartedValueAnswer[] {
  return values.filter(({ removed }) => !removed);
}

/** The initial texts of the form that repeats a run, by variable. Those of Secretos are empty, because nobody can read a Secreto again. */
export function initialTexts(values: StartedValueAnswer[]): Record<string, string> {
  const texts = values.map(({ name, type, value }) => [name, type === 'Secreto' ? '' : valueText(type, value)]);
  return Object.fromEntries(texts);
}

/** The `matrix` of a repeated run: only changed values, so that all others stay exactly as they were. */
export function changedValues(texts: Record<string, string>, initial: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).filter(([name, text]) => text !== initial[name]));
}

/** The names of the Secretos that had a value in the first run and that were not typed again. */
export function missingSecrets(values: StartedValueAnswer[], texts: Record<string, string>): string[] {
  return values.filter(({ name, secret }) => secret === true && !texts[name]).map(({ name }) => name);
}
