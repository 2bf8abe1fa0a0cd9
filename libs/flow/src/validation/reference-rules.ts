import type { Problem } from '../definition/problem';
import { referencesIn, VAULT, type StepText, type TextReference } from '../substitution/step-texts';
import type { KnownNames } from './known-names';
import { unknownName } from './name-rules';

const NOT_ALLOWED = 'the process may not use this vault key; the owner of the process has to allow it';

/** A problem for every reference in a field to a name that no variable of the flow can have, or to a vault key that the process may not use. */
export function referenceProblems(field: StepText, names: KnownNames): Problem[] {
  const messages = new Map<string, string>();
  for (const reference of referencesIn(field, (name) => names.variableOf(name) !== undefined)) {
    // In a function body `{name}` may be a block or an object; a misspelled variable shows when the script runs.
    const mayBeCode = field.syntax === 'script' && !reference.name.includes('.');
    if (names.variableOf(reference.name) === undefined && !mayBeCode) {
      messages.set(reference.name, messageOf(reference));
    } else if (!isAllowed(reference.name, names)) {
      messages.set(reference.name, `{${reference.name}}: ${NOT_ALLOWED}`);
    }
  }
  return [...messages.values()].map((message) => ({ path: field.path, message }));
}

/** Of a reference to the vault, all that follows the prefix is the key (interpretation 49). */
function isAllowed(name: string, { vaultKeys }: KnownNames): boolean {
  return vaultKeys === undefined || !name.startsWith(VAULT) || vaultKeys.has(name.slice(VAULT.length));
}

function messageOf({ name, inUnquotedCode }: TextReference): string {
  return inUnquotedCode ? `${unknownName(name)} (JavaScript braces take a space: "{ ${name} }")` : unknownName(name);
}
