/** One rule that a definition breaks. */
export interface FlowProblem {
  /** JSON Pointer into the definition, such as `/steps/2/rows/0/name`; the rules of one step give it within the step. */
  path: string;
  /** Completes a sentence whose subject is the path. */
  message: string;
}

/** A key as one segment of a JSON Pointer (RFC 6901). */
export function pointerSegment(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
