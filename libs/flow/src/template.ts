export type Part = { kind: 'text'; text: string } | { kind: 'reference'; name: string; source: string };

/** `isVariable` widens what counts as a reference to names outside the strict form (with spaces, for instance). */
export function parseTemplate(_text: string, _isVariable?: (name: string) => boolean): Part[] {
  throw new Error('to be filled in');
}

export function referencesOf(_text: string): string[] {
  throw new Error('to be filled in');
}

/** The name, when the text is one reference and nothing else. */
export function loneReference(_text: string, _isVariable?: (name: string) => boolean): string | undefined {
  throw new Error('to be filled in');
}
