/** The path of promtool; a missing one is unpacked from Debian's package. */
export function ensurePromtool(options?: { say?: (message: string) => void }): Promise<string>;
