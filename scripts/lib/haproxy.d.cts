import type { Child } from './servers.cjs';

export function startHaproxy(configuration: string): Promise<Child & { log(): Promise<string> }>;
