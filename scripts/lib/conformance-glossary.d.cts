export interface GlossaryEntry {
  word: string | undefined;
  text: string;
  paths: string[];
}
export const MAX_ENTRIES: number;
export function readGlossary(markdown: string): GlossaryEntry[];
export function complaintsAboutGlossary(entries: GlossaryEntry[], root: string): string[];
export function checkGlossary(root: string): string[];
