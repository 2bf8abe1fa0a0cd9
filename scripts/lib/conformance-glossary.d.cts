export interface GlossaryEntry {
  /** Undefined when the entry does not begin with a bold word. */
  word: string | undefined;
  /** The whole entry. */
  text: string;
  /** The paths in it, from the root of the repository. */
  paths: string[];
}
/** More entries than this are a complaint. */
export const MAX_ENTRIES: number;
/** Reads the text of docs/glossary.md. */
export function readGlossary(markdown: string): GlossaryEntry[];
/** Complaints about entries without a word, without an existing path, with two sentences or twice, and about too many entries. */
export function complaintsAboutGlossary(entries: GlossaryEntry[], root: string): string[];
/** Complaints about docs/glossary.md of the repository at `root`. */
export function checkGlossary(root: string): string[];
