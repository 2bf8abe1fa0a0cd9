/** Rewrites a result file of jest as if each test file of a group (test/groups) had run by itself. Does nothing when there is no such file. */
export function splitGroups(resultFile: string, root: string): void;
/** The test files below the folders that have no test in the results. Paths are from `root`. */
export function missingFiles(resultFiles: string[], root: string, folders: string[]): string[];
