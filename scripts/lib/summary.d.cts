/** Numbers of tests. */
export interface Counts {
  passed: number;
  failed: number;
}
/** Adds up result files of jest; a test file that does not load and a missing result file each count as one failure. */
export function countResults(files: string[]): Counts;
/** One line for each of the `count` slowest test files, slowest first, with its seconds and its path from `root`. */
export function slowestFiles(files: string[], root: string, count: number): string[];
/** The last line of a test run. */
export function summaryLine(counts: Counts): string;
