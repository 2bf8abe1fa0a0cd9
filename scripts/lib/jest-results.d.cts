export function splitGroups(resultFile: string, root: string): void;
export function missingFiles(resultFiles: string[], root: string, folders: string[]): string[];
