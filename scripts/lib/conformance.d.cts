export interface Promised {
  line: number;
  section: string | undefined;
  code: string[];
  tests: { file: string; name: string }[];
  unreadable: string[];
}
export interface JestResults {
  testResults: { name: string; assertionResults: { fullName: string; status: string }[] }[];
}
export const SECTIONS: string[];
export function readConformance(markdown: string): Promised[];
export function complaintsAboutDocument(promises: Promised[], root: string): string[];
export function complaintsAboutRun(promises: Promised[], results: JestResults[], root: string): string[];
export function checkConformance(root: string, resultFiles: string[]): string[];
