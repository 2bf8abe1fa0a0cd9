/** Levels of lists and objects; deeper nesting overflows the stack of whoever writes the value as JSON. Real payloads stay under 20. */
export const DEEPEST = 100;

/** Whether a value is nested deeper than `DEEPEST`. Level by level and not by recursion, which is what deep nesting would break. */
export function isTooDeep(value: unknown): boolean {
  let level = [value].filter(isStructure);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > DEEPEST) return true;
    level = level.flatMap((each) => Object.values(each).filter(isStructure));
  }
  return false;
}

function isStructure(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
