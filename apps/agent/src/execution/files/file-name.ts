const MAX_NAME_LENGTH = 150;

/**
 * Turns a file name that comes from outside into a name without folders and special characters, of which the last MAX_NAME_LENGTH characters
 * stay; `file` when nothing is left.
 */
export function plainFileName(given: string): string {
  const plain = given.slice(Math.max(given.lastIndexOf('/'), given.lastIndexOf('\\')) + 1);
  return (
    // Cut first: the cut may leave half of a character, or a dot in front.
    plain
      .slice(-MAX_NAME_LENGTH)
      .replaceAll(/[\p{C}"*:<>?|{}]/gu, '_')
      .replace(/^[\s.]+/, '')
      .trimEnd() || 'file'
  );
}
