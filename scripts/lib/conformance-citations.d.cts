export interface Contract {
  /** The numbered rules of each section. */
  sections: Map<string, Set<string>>;
  /** The numbers of the interpretations, such as `36b`. */
  interpretations: Set<string>;
}
/** Reads the text of docs/contract.md. */
export function readContract(markdown: string): Contract;
/** Complaints about citations in a text whose section, rule or interpretation the contract does not have, each with its line. */
export function complaintsAboutCitations(text: string, contract: Contract): string[];
/** True if a file of this name may cite docs/contract.md. */
export function mayCite(file: string): boolean;
/** Complaints about the citations in all files of the project at `root`, each with its file. */
export function checkCitations(root: string): string[];
