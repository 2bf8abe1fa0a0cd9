export interface Counts {
  passed: number;
  failed: number;
}
export function countResults(files: string[]): Counts;
export function summaryLine(counts: Counts): string;
