import type { Problem } from '../definition/problem';
import { referencesIn, type StepText, type TextReference } from '../substitution/step-texts';
import type { KnownNames } from './known-names';
import { unknownName } from './name-rules';

/** A problem for every reference in a field to a name that no variable of the flow can have. */
export function referenceProblems(field: StepText, names: KnownNames): Problem[] {
  const messages = new Map<string, string>();
  for (const reference of referencesIn(field, (name) => names.variableOf(name) !== undefined)) {
    // In a function body `{name}` may be a block or an object; a misspelled variable shows when the script runs.
    const mayBeCode = field.syntax === 'script' && !reference.name.includes('.');
    if (names.variableOf(reference.name) === undefined && !mayBeCode) {
      messages.set(reference.name, messageOf(reference));
    }
  }
  return [...messages.values()].map((message) => ({ path: field.path, message }));
}

function messageOf({ name, inUnquotedCode }: TextReference): string {
  return inUnquotedCode ? `${unknownName(name)} (JavaScript braces take a space: "{ ${name} }")` : unknownName(name);
}
