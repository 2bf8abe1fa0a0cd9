import { unknownName } from './name-rules';
import type { Names } from './names';
import type { Problem } from './problem';
import { mentionsIn, type Mention, type StepText } from './step-texts';

/** A problem for every name in a field that can exist nowhere in the flow. */
export function mentionProblems(field: StepText, names: Names): Problem[] {
  const unknown = new Map<string, string>();
  for (const mention of mentionsIn(field, (name) => names.variableOf(name) !== undefined)) {
    const isCode = field.reading === 'script' && !mention.name.includes('.');
    // In a function body `{name}` may be a block or an object; a misspelled variable shows when it runs.
    if (names.variableOf(mention.name) === undefined && !isCode) unknown.set(mention.name, messageOf(mention));
  }
  return [...unknown.values()].map((message) => ({ path: field.path, message }));
}

function messageOf({ name, bare }: Mention): string {
  return bare ? `${unknownName(name)} (JavaScript braces take a space: "{ ${name} }")` : unknownName(name);
}
