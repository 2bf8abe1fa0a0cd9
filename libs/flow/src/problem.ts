/** One thing that is wrong with a definition. */
export interface Problem {
  /** JSON Pointer into the definition, such as `/steps/2/rows/0/name`. */
  path: string;
  /** Worded to follow the path. */
  message: string;
}
