export interface ContractPromise {
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
export function readConformance(markdown: string): ContractPromise[];
export function complaintsAboutDocument(promises: ContractPromise[], root: string): string[];
export function complaintsAboutRun(promises: ContractPromise[], results: JestResults[], root: string): string[];
export function checkConformance(root: string, resultFiles: string[]): string[];
