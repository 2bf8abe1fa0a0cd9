/** Headers with credentials, which are neither stored nor mapped (contract 4.17, interpretation 28). */
export const CREDENTIAL_HEADERS: readonly string[] = [
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-process-key',
];

/** The headers that may be stored and mapped: without credentials and `hidden` ones. Names are in lower case. */
export function visibleHeaders(headers: Record<string, string>, hidden: readonly string[]): Record<string, string> {
  const visible = Object.entries(headers).filter(
    ([name]) => !CREDENTIAL_HEADERS.includes(name) && !hidden.includes(name),
  );
  return Object.fromEntries(visible);
}
