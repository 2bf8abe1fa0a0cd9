import type { Child } from './servers.cjs';

/** Starts a throw-away HAProxy with the text of this configuration; the caller must check that it works. `log` is all that it has written. */
export function startHaproxy(configuration: string): Promise<Child & { log(): Promise<string> }>;
