export interface Contract {
  /** The numbered rules of each section. */
  sections: Map<string, Set<string>>;
  interpretations: Set<string>;
}
export function readContract(markdown: string): Contract;
export function complaintsAboutCitations(text: string, contract: Contract): string[];
/** True if a file of this name may cite docs/contract.md. */
export function mayCite(file: string): boolean;
export function checkCitations(root: string): string[];
