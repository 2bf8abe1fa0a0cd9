/** A promise of docs/conformance.md with its proofs. */
export interface ContractPromise {
  line: number;
  /** Number of the section of the contract; undefined before the first heading. */
  section: string | undefined;
  /** Paths of the code that keeps the promise. */
  code: string[];
  /** Cited tests; `…` in a name stands for any text. */
  tests: { file: string; name: string }[];
  /** Proofs in another form. */
  unreadable: string[];
}
/** A result file of jest, as far as the check reads it. */
export interface JestResults {
  testResults: { name: string; assertionResults: { fullName: string; status: string }[] }[];
}
/** The sections of the contract that docs/conformance.md must have. */
export const SECTIONS: string[];
/** Reads the text of docs/conformance.md. */
export function readConformance(markdown: string): ContractPromise[];
/** Complaints about the document alone: a missing section, a promise without proof, a path that does not exist. */
export function complaintsAboutDocument(promises: ContractPromise[], root: string): string[];
/** Complaints about cited tests that did not pass, or did not run, according to the results. */
export function complaintsAboutRun(promises: ContractPromise[], results: JestResults[], root: string): string[];
/** All complaints about docs/conformance.md, citations of the contract and the glossary; a missing result file counts as tests that did not run. */
export function checkConformance(root: string, resultFiles: string[]): string[];
