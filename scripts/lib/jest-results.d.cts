/** Rewrites a result file of jest as if each test file of a group (test/groups) had run by itself. Does nothing when there is no such file. */
export function splitGroups(resultFile: string, root: string): void;
/** The test files below the folders that have no test in the results. Paths are from `root`. */
export function missingFiles(resultFiles: string[], root: string, folders: string[]): string[];
/** The patterns that match no test file in the results, neither its path nor that from `root`; all of them when there is no such file. */
export function unmatchedPatterns(resultFile: string, root: string, patterns: readonly string[]): string[];
