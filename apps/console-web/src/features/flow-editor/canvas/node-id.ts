/** The id of a node for React Flow, which puts ids into selectors: names may have any characters, ids have only letters, digits and `_`. */
export function nodeID(name: string): string {
  return `s${Array.from(name, (character) => (character.codePointAt(0) ?? 0).toString(36)).join('_')}`;
}
