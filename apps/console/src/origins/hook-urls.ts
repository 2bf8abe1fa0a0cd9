/** The complete URL that a webhook sender calls (contract 4.17). */
export function hookURL(gateway: string, processID: string, token: string): string {
  return `${gateway}/v1/hooks/${processID}/${token}`;
}
