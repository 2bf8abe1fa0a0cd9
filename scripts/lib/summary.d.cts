export interface Counts {
  passed: number;
  failed: number;
}
export function countResults(files: string[]): Counts;
export function slowestFiles(files: string[], root: string, count: number): string[];
export function summaryLine(counts: Counts): string;
