/** The id of a node for React Flow, which puts ids into selectors: names may have any characters, ids have only letters, digits and `_`. */
export function nodeID(name: string): string {
  return `s${Array.from(name, (character) => (character.codePointAt(0) ?? 0).toString(36)).join('_')}`;
}

/** Moves the focus to the step in the view, which shows the id of each step as `data-id`. */
export function focusStep(name: string): void {
  document.querySelector<HTMLElement>(`[data-id="${nodeID(name)}"]`)?.focus({ preventScroll: true });
}
