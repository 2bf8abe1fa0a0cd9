import type { FlowProblem } from '../definition/problem';
import { referencesIn, VAULT_PREFIX, type StepText, type TextReference } from '../substitution/step-texts';
import type { KnownNames } from './known-names';
import { unknownNameMessage } from './name-rules';

const FORBIDDEN_VAULT_KEY_MESSAGE = 'the process may not use this vault key; the owner of the process has to allow it';

/**
 * A problem for every reference in a text to a name that no variable of the flow can have, to a part that no step sets
 * (interpretation 53), or to a vault key that the process may not use (interpretation 49).
 */
export function referenceProblems(field: StepText, names: KnownNames): FlowProblem[] {
  const messages = new Map<string, string>();
  for (const reference of referencesIn(field, (name) => names.variableOf(name) !== undefined)) {
    const message = problemOf(reference, field, names);
    if (message !== undefined) messages.set(reference.name, message);
  }
  return [...messages.values()].map((message) => ({ path: field.path, message }));
}

/** The vault key is everything after the prefix `vault.` (interpretation 49). */
function isAllowed(name: string, { vaultKeys }: KnownNames): boolean {
  return vaultKeys === undefined || !name.startsWith(VAULT_PREFIX) || vaultKeys.has(name.slice(VAULT_PREFIX.length));
}

function problemOf(reference: TextReference, { syntax }: StepText, names: KnownNames): string | undefined {
  const { name } = reference;
  const variable = names.variableOf(name);
  if (!isAllowed(name, names)) return `{${name}}: ${FORBIDDEN_VAULT_KEY_MESSAGE}`;
  if (variable !== undefined) {
    const why = names.automatic.whyNoPart(name, variable);
    return why && `{${name}}: ${why}`;
  }
  // In a function body `{name}` may be a block or an object; a misspelled variable shows when the script runs.
  if (syntax === 'script' && !name.includes('.')) return undefined;
  const why = names.automatic.whyUnknown(name);
  return why ? `{${name}}: ${why}` : unknownReferenceMessage(reference);
}

function unknownReferenceMessage({ name, inUnquotedCode }: TextReference): string {
  return inUnquotedCode
    ? `${unknownNameMessage(name)} (JavaScript braces take a space: "{ ${name} }")`
    : unknownNameMessage(name);
}
