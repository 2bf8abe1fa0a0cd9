/** The id of a node for React Flow, which puts ids into selectors: names may have any characters, ids have only letters, digits and `_`. */
export function nodeID(name: string): string {
  return `s${Array.from(name, (character) => (character.codePointAt(0) ?? 0).toString(36)).join('_')}`;
}

/** Moves the focus to the step in the canvas or the list, whose elements have the node id as `data-id`; without such an element the focus stays. */
export function focusStep(name: string): void {
  document.querySelector<HTMLElement>(`[data-id="${nodeID(name)}"]`)?.focus({ preventScroll: true });
}
