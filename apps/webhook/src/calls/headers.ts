/** Credentials, which are neither stored nor mapped (contract 4.17, interpretation 28). */
export const CREDENTIALS: readonly string[] = [
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-process-key',
];

/** The headers of a call that may be seen: without credentials and what a setting hides. Names are in lower case. */
export function visibleHeaders(headers: Record<string, string>, hidden: readonly string[]): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !CREDENTIALS.includes(name) && !hidden.includes(name));
  return Object.fromEntries(kept);
}
