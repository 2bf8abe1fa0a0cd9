/** What is called from outside: ready-made, nobody puts it together by hand (contract 4.17). */
export function hookURL(gateway: string, processID: string, token: string): string {
  return `${gateway}/v1/hooks/${processID}/${token}`;
}
